/** The layers of the architecture: arrows point downward only. */
const layer = (name, from, to, except) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: '\\.test\\.tsx?$' },
  to: { path: to, ...(except ? { pathNot: except } : {}), dependencyTypesNot: ['type-only'] },
});

const DRIVERS =
  '^src/(http/|process/|front\\.ts|api\\.ts|app\\.ts|main\\.ts|ssr\\.tsx|runtime\\.ts|relay/entry/routes\\.ts|modules/.+/(routes|jobs)[a-z-]*\\.ts)';

const DOMAIN = '^src/(billing|options|jobs|modules/(?!.+/(routes|jobs)))';

/** The rooms of the relay, in the order of a call's way. */
const ROOMS = ['entry', 'choose', 'attempt', 'attempt/body', 'answer', 'charge'];

/** The ground floor of the relay: the stories and who opens it, which know all rooms, and what every room knows. */
const STORY = ['handle', 'answer-count', 'call-tool', 'submit-task', 'open-call', 'open'];
const SHARED = ['request', 'deps', 'shares'];

const files = (names) => `^src/relay/(${names.join('|')})\\.ts$`;
const inRooms = (rooms) => `^src/relay/(${rooms.join('|')})/[^/]+$`;

/** A room knows those behind it, what all share, and nothing else of the relay: not by a type either. */
const roomRule = (room, at) => ({
  name: `relay-${room.replace('/', '-')}-looks-ahead`,
  severity: 'error',
  from: { path: inRooms([room]), pathNot: '\\.test\\.ts$' },
  to: { path: '^src/relay/', pathNot: [inRooms(ROOMS.slice(at)), files(SHARED)] },
});

module.exports = {
  forbidden: [
    ...ROOMS.map(roomRule),
    {
      name: 'relay-stands-in-rooms',
      severity: 'error',
      from: {},
      to: { path: '^src/relay/', pathNot: [inRooms(ROOMS), files([...STORY, ...SHARED])] },
    },
    {
      name: 'a-relayed-request-knows-no-room',
      severity: 'error',
      from: { path: files(['request']) },
      to: { path: '^src/relay/' },
    },
    {
      name: 'no-circle-even-of-types',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    layer('core-is-pure', '^src/core/', '^(src/(?!core/)|node_modules/(?!zod))'),
    layer('platform-knows-only-core', '^src/platform/', '^src/(?!core/|platform/|env\\.ts)'),
    layer('db-knows-only-core-and-platform', '^src/db/', '^src/(?!core/|platform/|db/|env\\.ts)'),
    layer(
      'wires-touch-no-database',
      '^src/(providers|dialects)/',
      '^src/(?!core/|platform/|providers/|dialects/)',
    ),
    layer('dialects-know-no-provider', '^src/dialects/', '^src/providers/'),
    layer(
      'only-the-registry-imports-providers',
      '^src/(?!providers/)',
      '^src/providers/(?!registry\\.ts|provider\\.ts)',
    ),
    {
      // Of types neither: whom the guard lets in is said without whoever keeps sessions.
      name: 'http-knows-no-module',
      severity: 'error',
      from: { path: '^src/http/' },
      to: { path: '^src/modules/' },
    },
    layer('domain-knows-no-driver', DOMAIN, DRIVERS),
    layer('domain-knows-no-relay', DOMAIN, '^src/relay/'),
    layer('relay-knows-no-http', '^src/relay/(?!entry/routes\\.ts)', DRIVERS),
    {
      name: 'modules-meet-in-services',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^src/modules/[^/]+/',
        pathNot: ['^src/modules/$1/', '/(service|facts)\\.ts$', '^src/modules/deps\\.ts$'],
      },
    },
    layer('the-console-imports-only-facts', '^web/', '^src/(?!core/|modules/[^/]+/facts\\.ts)'),
    layer('the-consoles-lib-knows-nothing-above-it', '^web/lib/', '^web/(?!lib/|locales/|boot\\.ts)'),
    layer('facts-are-pure', '^src/modules/[^/]+/facts\\.ts', '^(src/(?!core/)|node_modules/)'),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    exclude: { path: '\\.test\\.tsx?$' },
    doNotFollow: { path: 'node_modules' },
  },
};
