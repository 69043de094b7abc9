/** The programs that the console prints for a token, run as they are printed. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { appSamples } from '../../web/features/token/app-samples.ts';
import { anthropicNodeSample, geminiNodeSample } from '../../web/features/token/client-samples.ts';
import {
  curlSample,
  environmentSample,
  nodeSample,
  type SampleInput,
} from '../../web/features/token/code-samples.ts';
import { modelOf, openWireRelay, type WireRelay } from '../support/wire-relay.ts';

/** Below the packages, where their imports find them. */
const folder = join(import.meta.dir, '../../node_modules/.cache', `samples-${process.pid}`);
const ANSWER = 'Hello wörld';

let t: WireRelay;
beforeAll(async () => {
  t = await openWireRelay();
  await mkdir(folder, { recursive: true });
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await t.close();
});

const inputOf = (given: Partial<SampleInput> = {}): SampleInput => ({
  origin: t.relay.base,
  model: modelOf('chat'),
  streamed: false,
  key: null,
  ...given,
});

async function output(command: string[], env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn(command, {
    cwd: folder,
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '', HOME: folder, API_KEY: t.relay.key, ...env },
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${command[0]}: ${err}`);
  return out;
}

async function run(name: string, code: string): Promise<string> {
  const file = join(folder, `${name}-${crypto.randomUUID()}.mjs`);
  await writeFile(file, code);
  return output([process.execPath, file]);
}

const MESSAGES: SampleInput['messages'] = [
  { role: 'system', content: 'Be "brief".' },
  { role: 'user', content: "It's\nme" },
  { role: 'assistant', content: 'Hm?' },
  { role: 'user', content: 'Go on.' },
];
const SAID: Partial<SampleInput> = { messages: MESSAGES, more: { temperature: 0.5, max_tokens: 50 } };

describe.each([
  ['openai', nodeSample],
  ['@anthropic-ai/sdk', anthropicNodeSample],
  ['@google/genai', geminiNodeSample],
] as const)('the sample for %s', (name, sample) => {
  const file = name.replace(/\W/g, '-');

  it('is answered at once and as a stream, the key from the environment or in it', async () => {
    const whole = run(file, sample(inputOf()));
    const streamed = run(file, sample(inputOf({ streamed: true, key: t.relay.key })));
    expect((await whole).trim()).toBe(ANSWER);
    expect((await streamed).trim()).toBe(ANSWER);
  });

  it('says a whole conversation with its settings', async () => {
    expect((await run(file, sample(inputOf(SAID)))).trim()).toBe(ANSWER);
    const seen = t.lastSeen.body;
    expect(seen).toMatchObject({ temperature: 0.5 });
    const said = JSON.stringify(seen);
    for (const { content } of MESSAGES) expect(said).toContain(JSON.stringify(content).slice(1, -1));
  });
});

it('the sample for curl is answered', async () => {
  expect(await output(['sh', '-c', curlSample(inputOf())])).toContain(ANSWER);
  expect(await output(['sh', '-c', curlSample(inputOf({ streamed: true, key: t.relay.key }))])).toContain(
    '[DONE]',
  );
});

/** What the app's own client makes of the variables, in a shell that has read them. */
const PROBES: Record<string, string> = {
  'Claude Code': `import Anthropic from "@anthropic-ai/sdk";
    const answer = await new Anthropic({ apiKey: null }).messages.create({
      model: process.env.ANTHROPIC_MODEL, max_tokens: 50, messages: [{ role: "user", content: "ping" }] });
    console.log(answer.content.find((part) => part.type === "text").text);`,
  'Gemini CLI': `import { GoogleGenAI } from "@google/genai";
    const answer = await new GoogleGenAI({}).models.generateContent({ model: process.argv.at(-1), contents: "ping" });
    console.log(answer.text);`,
  Environment: `import OpenAI from "openai";
    const answer = await new OpenAI().chat.completions.create({
      model: "${modelOf('chat')}", messages: [{ role: "user", content: "ping" }] });
    console.log(answer.choices[0].message.content);`,
};

describe('variables', () => {
  it.each(['Claude Code', 'Gemini CLI', 'Environment'])(
    'for %s lead the client that it is built on here',
    async (name) => {
      const app = appSamples.find((one) => one.name === name);
      const text = app ? app.text(inputOf()) : environmentSample(inputOf());
      const probe = join(folder, `${crypto.randomUUID()}.mjs`);
      await writeFile(probe, PROBES[name] ?? '');
      // The command itself is played by the client that it is built on.
      const played = `command_of_app() { ${process.execPath} ${probe} "$@"; }\nclaude() { command_of_app; }\ngemini() { command_of_app "$@"; }\n`;
      const last = app ? '' : '\ncommand_of_app';
      expect((await output(['bash', '-c', `${played}${text}${last}`])).trim()).toBe(ANSWER);
    },
  );
});

it('the lines for Gemini CLI say that its key is the way in, and leave settings that are there', async () => {
  const text = appSamples.find(({ name }) => name === 'Gemini CLI')?.text(inputOf()) ?? '';
  const file = join(folder, '.gemini/settings.json');
  const run = () => output(['sh', '-c', `gemini() { :; }\n${text}`]);
  await rm(file, { force: true });
  await run();
  expect(await Bun.file(file).json()).toEqual({ security: { auth: { selectedType: 'gemini-api-key' } } });
  await writeFile(file, '{"mine":1}');
  await run();
  expect(await Bun.file(file).text()).toBe('{"mine":1}');
});

it('the settings file of Codex names a provider that answers by Responses', async () => {
  const codex = appSamples.find(({ name }) => name === 'Codex');
  for (const key of [null, t.relay.key]) {
    const model = modelOf('chat');
    const config = Bun.TOML.parse(codex?.text(inputOf({ key })) ?? '') as Record<string, unknown> & {
      model_providers: Record<string, Record<string, unknown>>;
    };
    const provider = config.model_providers[String(config.model_provider)] ?? {};
    expect([config.model, provider.wire_api]).toEqual([model, 'responses']);
    const headers = (provider.http_headers ?? {
      Authorization: `Bearer ${provider.env_key === 'API_KEY' ? t.relay.key : ''}`,
    }) as Record<string, string>;
    const answer = await fetch(`${provider.base_url}/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model, input: 'ping' }),
    });
    expect(await answer.text()).toContain(ANSWER);
  }
});

it('what is typed into Cline and Cursor names address, key and model', () => {
  for (const name of ['Cline', 'Cursor']) {
    const text = appSamples.find((one) => one.name === name)?.text(inputOf({ key: 'sk-abc' })) ?? '';
    for (const part of [`${t.relay.base}/v1`, 'sk-abc', modelOf('chat')]) expect(text).toContain(part);
  }
});
