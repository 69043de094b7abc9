/**
 * What the console prints for a token, given to the very programs that it is printed for, over channels of every great
 * wire; only with `./scripts/test long`: they are a gigabyte, and start slowly.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appSamples } from '../../web/features/token/app-samples.ts';
import { anthropicPythonSample, geminiPythonSample } from '../../web/features/token/client-samples.ts';
import { pythonSample, type SampleInput, shellQuoted } from '../../web/features/token/code-samples.ts';
import { isLong } from '../support/long.ts';
import { patience } from '../support/patience.ts';
import { modelOf, openWireRelay, type WireRelay } from '../support/wire-relay.ts';
import { TOOL_RESULT, type ToolCall, type Wire } from '../support/wires.ts';
import { commandLines, pythonSdks } from './clients.ts';

const FETCH_MS = patience(900_000);
const RUN_MS = patience(120_000);
const WIRES: readonly Wire[] = ['chat', 'responses', 'messages', 'generateContent'];

const ASKED = 'Read note.txt. What is the weather?';
const ANSWER = 'It is 7 degrees.';

/** Environment of programs that are not asked at a terminal, and that are to call nobody but the relay. */
const ALONE = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  // Else it leaves a process behind.
  CLINE_SESSION_BACKEND_MODE: 'local',
  GEMINI_CLI_TRUST_WORKSPACE: 'true',
};

if (isLong) {
  let t: WireRelay;
  /** Of one run: home, and a folder to work in. */
  let home: string;
  beforeAll(async () => {
    t = await openWireRelay();
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'client-'));
    await mkdir(join(home, 'work'));
    await writeFile(join(home, 'work/note.txt'), `${TOOL_RESULT}\n`);
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  async function output(command: string[], env: Record<string, string> = {}): Promise<string> {
    const child = Bun.spawn(command, {
      cwd: join(home, 'work'),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: RUN_MS,
      env: { PATH: process.env.PATH ?? '', HOME: home, API_KEY: t.relay.key, ...ALONE, ...env },
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    const code = await child.exited;
    if (code !== 0) throw new Error(`ended with ${code}:\n${out}${err}`);
    return out;
  }

  const inputOf = (wire: Wire, key: string | null): SampleInput => ({
    origin: t.relay.base,
    model: modelOf(wire),
    streamed: false,
    key,
  });

  /** How a program is asked once without a terminal, and how it calls its own tool that reads a file. */
  interface Client {
    app: string;
    tool: (path: string) => ToolCall;
    ask: (printed: string, programs: Awaited<ReturnType<typeof commandLines>>) => Promise<string>;
  }

  /** The printed lines in a shell; what is said comes after the command that ends them. */
  const inShell = (name: string, command: string[], more: string[], printed: string): Promise<string> =>
    output([
      'sh',
      '-c',
      `${name}() { ${[...command, ...more].map(shellQuoted).join(' ')} "$@"; }\n${printed}`,
    ]);

  /** What is typed into a form: the value behind each label. */
  const typedIn = (printed: string): Record<string, string> =>
    Object.fromEntries(printed.split('\n').map((line) => line.split(': ', 2)));

  const clients: readonly Client[] = [
    {
      app: 'Codex',
      tool: () => ({ name: 'exec_command', input: '{"cmd":"cat note.txt"}' }),
      ask: async (printed, { codex }) => {
        await Bun.write(join(home, '.codex/config.toml'), printed);
        // There may be no sandbox within the sandbox that tests run in.
        const more = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', ASKED];
        return output([...codex, 'exec', ...more]);
      },
    },
    {
      app: 'Claude Code',
      tool: (path) => ({ name: 'Read', input: JSON.stringify({ file_path: path }) }),
      ask: (printed, { claude }) => inShell('claude', claude, ['--print', ASKED], printed),
    },
    {
      app: 'Gemini CLI',
      tool: (path) => ({ name: 'read_file', input: JSON.stringify({ file_path: path }) }),
      ask: (printed, { gemini }) => inShell('gemini', gemini, ['--prompt', ASKED], printed),
    },
    {
      app: 'Cline',
      tool: (path) => ({ name: 'read_files', input: JSON.stringify({ files: [{ path }] }) }),
      ask: async (printed, { cline }) => {
        const typed = typedIn(printed.replace('$API_KEY', t.relay.key));
        expect(typed['API Provider']).toBe('OpenAI Compatible');
        const given = [typed['OpenAI Compatible API Key'], typed['Model ID'], typed['Base URL']].map(String);
        const flags = ['--apikey', '--modelid', '--baseurl'].flatMap((flag, i) => [flag, given[i] ?? '']);
        await output([...cline, 'auth', 'openai-compatible', ...flags]);
        return output([...cline, ASKED]);
      },
    },
  ];

  describe.each(clients.map((client) => [client.app, client] as const))('%s', (app, client) => {
    const printed = (input: SampleInput): string =>
      appSamples.find(({ name }) => name === app)?.text(input) ?? '';

    let programs: Awaited<ReturnType<typeof commandLines>>;
    beforeAll(async () => {
      programs = await commandLines();
    }, FETCH_MS);

    it.each(WIRES.map((wire, i) => [wire, i % 2 === 0 ? 'in it' : 'in the environment'] as const))(
      'is answered and calls its tools over %s, its key %s',
      async (wire, place) => {
        t.wires.tool = client.tool(join(home, 'work/note.txt'));
        const before = t.wires.seen.length;
        const input = inputOf(wire, place === 'in it' ? t.relay.key : null);
        expect(await client.ask(printed(input), programs)).toContain(ANSWER);
        const asked = t.wires.seen.slice(before);
        expect(asked.length).toBeGreaterThan(1);
        expect(asked.map((call) => call.wire)).toEqual(asked.map(() => wire));
        expect(existsSync(join(home, '.cline/data/locks/hub/production.json'))).toBe(false);
      },
      RUN_MS,
    );
  });

  describe.each([
    ['openai', pythonSample],
    ['anthropic', anthropicPythonSample],
    ['google-genai', geminiPythonSample],
  ] as const)('Python’s %s', (_name, sample) => {
    let sdks: Awaited<ReturnType<typeof pythonSdks>>;
    beforeAll(async () => {
      sdks = await pythonSdks();
    }, FETCH_MS);

    it.each(WIRES)(
      'is answered over %s at once and as a stream, the key from the environment or in it',
      async (wire) => {
        for (const [streamed, key] of [
          [false, null],
          [true, t.relay.key],
        ] as const) {
          const code = sample({ ...inputOf(wire, key), streamed });
          expect((await output([sdks.python, '-c', code], { PYTHONPATH: sdks.path })).trim()).toBe(
            'Hello wörld',
          );
        }
      },
      RUN_MS,
    );
  });
}
