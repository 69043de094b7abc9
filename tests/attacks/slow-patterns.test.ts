/**
 * No pattern of the server takes more than time in proportion to a text, unless the text is short or the operator's own:
 * a caller's word of kilobytes would stop everybody's calls. `recheck` proves each, or finds a text that is slow. It takes
 * seconds for one: every run proves those that are new or changed, and a long one all of them again. What is built at run
 * time is no literal and is not proven here: the places that build are known, each with its reason.
 */
import { expect, it } from 'bun:test';
import { check } from 'recheck';
import ts from 'typescript';
import { isLong } from '../support/long.ts';
import { patience, TEST_MS } from '../support/patience.ts';

/** Slow for long texts where theirs are short, or no slower for these than so many times. */
const BOUNDED: Record<string, string> = {
  '/0+$/': 'digits of an amount',
  '/(\\.\\d\\d\\d*?)0+$/': 'digits of an amount',
  '/gpt.*image/': 'the name of a model: 256 characters',
  '/gemini-2.*image/': 'the name of a model',
  '/gemini.*image|nano-banana/': 'the name of a model',
  '/gemini-.*latest/': 'the name of a model',
  '/^(.*claude.*)-thinking$/': 'the name of a model',
  '/^((?:.*\\/)?gemini-2\\.5-.+)-(nothinking|thinking(?:-(\\d{1,6}))?)$/': 'the name of a model',
  '/^v\\d+[a-z0-9]*$/': 'the name of a model',
  '/\\/+$/': 'an address that an operator or a supplier has given',
  '/\\/v1\\/.*$/': 'the address of a channel',
  '/[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+/g': 'a text that is cut at 500 characters',
  '/security token|signature we calculated|token .* expired|api key/i': 'what a cloud says of an error',
  '/"(?:[^"\\\\]|\\\\.)*"/gs': 'a frame of 4 KiB',
  '/(?<="obfuscation":\\s*")(?<word>[^"\\\\]*)(?=")|(?<="(?:sequence_number|created|created_at|[A-Za-z]+TokenCount)":\\s*)\\d+(?=[,}])/g':
    'a frame of 4 KiB',
  '/^-- \\[(month|unlogged|late)\\n([\\s\\S]*?)^-- \\]\\n/gm': 'a statement of ours',
  '/\\b(?:https?|ftps?|wss?):|(?<=[a-z][a-z\\d+.-]{1,30}):[\\\\/]/i': 'tries 31 characters from each colon',
  '/\\bquota\\b.{0,40}\\b(?:exceeded|exhausted|insufficient|reached|used up)\\b|\\b(?:exceeded|exhausted|reached|current|your)\\b.{0,40}\\bquota\\b/':
    'tries 40 characters from each word',
  '/(?:账户|账号|帐户|帐号|密钥|组织)[^。！？；\\n]{0,40}(?<!(?:将|会|能)被?)(?:封禁|封停|禁用|停用|冻结|暂停|吊销|注销)/':
    'tries 40 characters from each word',
  '/^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$/': 'what its reader types into a form',
  '/("(?:[^"\\\\]|\\\\.)*"|\'(?:[^\'\\\\]|\\\\.)*\')|((?:#|\\/\\/) .*)/g': 'a sample of ours',
  '/[\\p{M}\\uff9e\\uff9f]{30}/gu': 'tries thirty characters from each mark',
};

/**
 * Those that repeat a group without a bound. Many take a microsecond for each round, which no proof tells, since that is in
 * proportion: half a second a megabyte.
 */
const REPEATING: Record<string, string> = {
  '/"(?:[^"\\\\]|\\\\.)*"/gs': 'a frame of 4 KiB',
  '/(?:(?<!\\s)\\s+)?(?:--(?:fast|relax|turbo)\\b\\s*)+/gi': 'measured: some milliseconds a megabyte',
  '/(?<![a-z\\d])gpt-(?:5-[6-9]|[6-9]|\\d\\d)(?:-[a-z]+)*-pro(?![a-z])/':
    'the name of a model: 256 characters',
  '/([?&#;]([^=&#?;]+)=)([^&#;]*(?:;(?![^=&#?;]+=)[^&#;]*)*)/g': "a setting of the operator's",
  '/[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+/g': 'a text that is cut at 500 characters',
  '/\\B(?=(\\d{3})+(?!\\d))/g': 'digits of an amount',
  '/^(?:0|[1-9]\\d{0,8})(?:\\.(?:0|[1-9]\\d{0,8})){2}(?:-[0-9a-z-]+(?:\\.[0-9a-z-]+)*)?(?:\\+[0-9a-z-]+(?:\\.[0-9a-z-]+)*)?$/i':
    'the version of an application: 64 characters',
  '/^(?:[a-z0-9_-]+(?:\\.[a-z0-9_-]+)*\\.?|\\[[0-9a-f:.]{2,45}\\])(?::\\d{1,5})?$/i':
    'a host of a bounded length',
  '/^[\\w-]+(\\/[\\w.-]+)*$/': 'the name of an operation, as an upstream has told it',
  '/^[a-z0-9-]+(\\.[a-z0-9-]+)+$/i': "an option of the operator's",
  '/^\\d{1,15}(,\\d{1,15})*$/': "a field of the operator's",
  '/^https:\\/\\/([a-z0-9-]+\\.)*aiproxy\\.io(\\/|$)/': 'the address of a channel',
};

/** Those that are built at run time, by the file and the name of what builds them. */
const BUILT: Record<string, string> = {
  'src/core/audio-length/mp4-boxes.ts ANY_PLACED': 'has no repetition',
  'src/core/efforts.ts OF_FAMILIES': 'has no repetition',
  'src/core/model-families.ts REASONS': 'has no repetition',
  'src/core/model-variant.ts OPENAI': 'quadratic: the name of a model, 256 characters',
  'src/core/thinkers.ts UNSEEN':
    'quadratic, looks ahead after each separator: the name of a model, 256 characters',
  'src/core/thinkers.ts families':
    'words of the same file at the beginning of the name of a model, 256 characters',
  'src/core/thinkers.ts within': 'words of the same file within the name of a model, 256 characters',
  'src/dialects/account.ts beginningWith':
    'linear: anchored, and what is repeated never takes the letter behind it',
  'src/dialects/operators-fields.ts FAMILIES': 'has no repetition',
  'src/modules/oauth-app/authorize.ts ECHO': 'one class of characters, up to a bound',
  'src/providers/thought-limits.ts COUNTED': 'quadratic as that of thinkers: the name of a model',
  'src/relay/attempt/upstream-words.ts OF_THE_ACCOUNT': 'literals of the same file with other flags',
};

/** Where a text becomes a URL unmeasured: elsewhere `urlOf` reads it, because the time is the square of its host's length. */
const READS_URLS: Record<string, string> = {
  'src/core/links.ts': "a link of the operator's",
  'src/env.ts': 'the environment',
  'src/http/client-calls.ts': 'the address of a request, which its server has read',
  'src/http/consent-page.ts': 'an address that was measured when it was registered',
  'src/http/context.ts': 'the environment',
  'src/http/embed-script.ts': 'runs in a browser',
  'src/http/page-forms.ts': 'a path of ours',
  'src/modules/auth/captcha/human-check.ts': 'the Host of a request, which its server has read',
  'src/modules/auth/mail/mailbox.ts': 'this site',
  'src/modules/auth/oauth/exchange.ts': "an address of the operator's",
  'src/modules/auth/oauth/flow.ts': "an address of the operator's",
  'src/modules/auth/oauth/providers.ts': "an address of the operator's",
  'src/modules/auth/oauth/wechat.ts': "an address of the operator's",
  'src/modules/auth/passkey/site.ts': 'the Host of a request, which its server has read',
  'src/modules/auth/service.ts': "an address of the operator's",
  'src/modules/channel/destination.ts': 'an address of a channel',
  'src/modules/channel/service.ts': 'the proxy of a channel',
  'src/modules/channel/setting.ts': 'the proxy of a channel',
  'src/modules/mail/service.ts': "an address of the operator's",
  'src/modules/notification/service.ts': 'this site',
  'src/modules/sms/aliyun.ts': "an address of the operator's",
  'src/modules/sms/tencent.ts': "an address of the operator's",
  'src/modules/supplier/wire.ts': 'an address that was measured when it was given',
  'src/modules/token-request/routes.ts': 'this site',
  'src/options/checks.ts': "an address of the operator's",
  'src/options/destination.ts': "an address of the operator's",
  'src/options/request-quota.ts': "an address of the operator's",
  'src/providers/balance.ts': 'an address of a channel',
  'src/providers/bedrock/provider.ts': 'an address of a channel',
  'src/providers/gemini.ts': 'an address of a channel',
  'src/providers/tencent/provider.ts': 'an address of a channel',
  'src/providers/thought-limits.ts': 'an address of a channel',
  'src/providers/xunfei/provider.ts': 'an address of a channel',
  'src/relay/attempt/aim.ts': 'measured as it comes in',
  'src/relay/attempt/hidden.ts': 'an address of a channel',
  'src/relay/attempt/reach.ts': 'what has come through aim.ts',
  'src/relay/entry/apart.ts': 'the environment',
};

const root = new URL('../../', import.meta.url).pathname;

/** All that are written in the server's code and in that of its pages, which it draws as well, and where; and the places that build others, or make URLs. */
function patterns(): { found: Map<string, string[]>; built: string[]; urls: string[] } {
  const found = new Map<string, string[]>();
  const built: string[] = [];
  const urls = new Set<string>();
  for (const file of new Bun.Glob('{src,web}/**/*.{ts,tsx}').scanSync(root)) {
    if (/\.test\.tsx?$/.test(file)) continue;
    // What builds patterns or reads addresses there does so of what the server has sent.
    const isServers = file.startsWith('src/');
    const text = ts.sys.readFile(root + file) ?? '';
    const visit = (node: ts.Node, within: string): void => {
      const name = ts.isVariableDeclaration(node) || ts.isFunctionDeclaration(node) ? node.name : undefined;
      const place = name?.getText() ?? within;
      if (ts.isRegularExpressionLiteral(node)) {
        found.set(node.text, [...(found.get(node.text) ?? []), file]);
      }
      // However it is come by: called, made, or handed on.
      if (
        isServers &&
        ts.isIdentifier(node) &&
        node.text === 'RegExp' &&
        !ts.isTypeReferenceNode(node.parent)
      )
        built.push(`${file} ${place}`);
      if (isServers && ts.isIdentifier(node) && node.text === 'URL' && isMade(node)) urls.add(file);
      if (/^z\.(http)?[uU]rl$/.test(node.getText())) urls.add(file);
      ts.forEachChild(node, (child) => visit(child, place));
    };
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), '');
  }
  return { found, built: built.sort(), urls: [...urls].sort() };
}

/** Not one that is only named as a type, or that the server has read itself: of a request, or of a file of ours. */
function isMade({ parent }: ts.Node): boolean {
  if (!ts.isNewExpression(parent)) return ts.isPropertyAccessExpression(parent);
  const given = (parent.arguments ?? []).map((each) => each.getText()).join();
  return !/^(request\.url|'[^']*',import\.meta\.url)$/.test(given);
}

/** Those that were proven: one a line, in order. */
const proven = (await Bun.file(`${import.meta.dir}/slow-patterns.proven.txt`).text()).trim().split('\n');

/** They try a bounded number of times, which takes a proof more steps than anybody has time for. */
const tryingOften = Object.keys(BOUNDED).filter((pattern) => BOUNDED[pattern]?.startsWith('tries'));

async function isProven(pattern: string): Promise<boolean> {
  const end = pattern.lastIndexOf('/');
  // It knows `u` and not `v`, which no pattern here needs for its time.
  const flags = pattern.slice(end + 1).replace('v', 'u');
  const { status } = await check(pattern.slice(1, end), flags, IN_STEPS);
  return status === 'safe';
}

/**
 * Steps decide, no clock: by its usual second for an attack a busy machine found patterns to be slow that are not. Of those
 * that are proven here the hardest takes five seconds of a processor; the time is for one that never comes to an end.
 */
const IN_STEPS = { attackLimit: 20_000_000, attackTimeout: null, incubationTimeout: null, timeout: TEST_MS };

const MINUTES = patience(20 * 60_000);

const { found, built, urls } = patterns();

it('patterns are built at run time in known places alone', () => {
  expect(built).toEqual(Object.keys(BUILT));
});

it('texts become URLs in one place, but for those that the operator gives', () => {
  expect(urls).toEqual(['src/core/url.ts', ...Object.keys(READS_URLS)].sort());
});

/** Without classes and escapes, in which brackets mean nothing. */
const repeatsGroup = (pattern: string): boolean =>
  /\)(?:[*+]|\{\d+,\})/.test(pattern.replace(/\\./g, '.').replace(/\[[^\]]*\]/g, '.'));

it('no pattern of the server repeats a group on texts of any length', () => {
  const repeating = Array.from(found).filter(([pattern, files]) => {
    return repeatsGroup(pattern) && files.some((file) => file.startsWith('src/'));
  });
  expect(repeating.map(([pattern]) => pattern).sort()).toEqual(Object.keys(REPEATING).sort());
});

it(
  'each pattern takes time in proportion to its text, or has a bound',
  async () => {
    const slow: Record<string, unknown>[] = [];
    const bounded = new Set<string>();
    const safe: string[] = [];
    const known = new Set(isLong ? tryingOften : [...proven, ...Object.keys(BOUNDED)]);
    for (const [pattern, files] of found) {
      if (known.has(pattern)) continue;
      if (await isProven(pattern)) safe.push(pattern);
      else if (pattern in BOUNDED) bounded.add(pattern);
      else slow.push({ pattern, files });
    }
    expect(slow).toEqual([]);
    if (!isLong) return;
    // So that no run has much to prove that was proven before.
    expect(proven).toEqual(safe.filter((pattern) => !(pattern in BOUNDED)).sort());
    expect(Object.keys(BOUNDED).filter((pattern) => !bounded.has(pattern))).toEqual(tryingOften);
  },
  MINUTES,
);
