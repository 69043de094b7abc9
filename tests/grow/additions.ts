/**
 * What the product will be asked for most: each in a folder here, as the new files that it takes, and the lines that it
 * takes in files that are there. They are no part of the product; the test puts them into a copy of it.
 */
import { join } from 'node:path';

export interface Line {
  file: string;
  /** Stands once in the file; the lines come behind it. */
  after: string;
  lines: string;
}

export interface Addition {
  name: string;
  /** Below this folder. In it, `proof.ts` is its test, and all else lies as it will in the project. */
  folder: string;
  lines: readonly Line[];
  /** How many files it takes, new ones and those with new lines; all that is new in one new folder counts once. */
  files: number;
}

export const additions: readonly Addition[] = [
  {
    name: 'a provider that speaks OpenAI’s wire',
    folder: 'provider',
    files: 2,
    lines: [
      {
        file: 'src/providers/registry.ts',
        after:
          '/** One line a provider: the only file that imports them. In the order in which the form offers them. */\n',
        lines: "import { acme } from './acme.ts';\n",
      },
      { file: 'src/providers/registry.ts', after: '\n  moonshot,\n', lines: '  acme,\n' },
    ],
  },
  {
    name: 'a dialect of callers',
    folder: 'dialect',
    files: 2,
    lines: [
      {
        file: 'src/dialects/registry.ts',
        after: "import { openaiResponses } from './openai-responses/dialect.ts';\n",
        lines: "import { talkCodec } from './talk/codec.ts';\nimport { talk } from './talk/dialect.ts';\n",
      },
      {
        file: 'src/dialects/registry.ts',
        after: 'export const chatDialects: readonly ChatDialect[] = [\n',
        lines: '  { dialect: talk, codec: talkCodec },\n',
      },
    ],
  },
  {
    name: 'an option',
    folder: 'option',
    files: 1,
    lines: [
      {
        file: 'src/options/operation.ts',
        after: 'export const operation = {\n',
        lines: `  GreetingWords: option.integer({
    min: 1,
    default: 20,
    status: 'greeting_words',
    place: general('general'),
    label: { zh: '问候语的最多字数', en: 'Most words of a greeting' },
  }),
`,
      },
    ],
  },
  {
    name: 'a page',
    folder: 'page',
    files: 2,
    lines: [
      {
        file: 'web/router.tsx',
        after: "import { modelHubRoute } from './pages/model-hub.tsx';\n",
        lines: "import { myModelsRoute } from './pages/my-models.tsx';\n",
      },
      {
        file: 'web/router.tsx',
        after: '\n    logRoute.addChildren([logRowRoute]),\n',
        lines: '    myModelsRoute,\n',
      },
    ],
  },
  {
    name: 'a call',
    folder: 'call',
    files: 2,
    lines: [
      {
        file: 'src/modules/token/routes.ts',
        after: "import type { Maker } from './fields.ts';\n",
        lines: "import { oldestToken } from './oldest.ts';\n",
      },
      {
        file: 'src/modules/token/routes.ts',
        after: '    .use(guard(deps))\n',
        lines:
          "    .get('/oldest', async ({ viewer }) => ok(await oldestToken(deps, viewer.id)), { auth: 'user' })\n",
      },
    ],
  },
  {
    name: 'an error',
    folder: 'error',
    files: 1,
    lines: [
      {
        file: 'src/core/errors/tokens.ts',
        after: 'export const tokens = {\n',
        lines: "  TOKEN_ASLEEP: row(200, 403, '令牌 {name} 正在休眠', 'The token {name} is asleep'),\n",
      },
    ],
  },
];

/** The new files of an addition, as paths in the project. */
export const newFiles = ({ folder }: Addition): string[] =>
  [...new Bun.Glob('**/*').scanSync({ cwd: join(import.meta.dir, folder) })]
    .filter((file) => file !== 'proof.ts')
    .sort();
