import { describe, expect, it } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appSamples } from './app-samples.ts';
import {
  anthropicNodeSample,
  anthropicPythonSample,
  geminiNodeSample,
  geminiPythonSample,
} from './client-samples.ts';
import { curlSample, environmentSample, nodeSample, pythonSample, type SampleInput } from './code-samples.ts';

const input: SampleInput = { origin: 'https://gateway.example', model: 'gpt-4o', streamed: true, key: null };
const samples = { curlSample, pythonSample, nodeSample, environmentSample };

describe('the samples', () => {
  it('name this site and read the key from the environment', () => {
    for (const [name, sample] of Object.entries(samples)) {
      expect(`${name}: ${sample(input)}`).toContain('https://gateway.example/v1');
      expect(`${name}: ${sample(input)}`).toContain('API_KEY');
    }
  });

  it('hold the key only when it was asked for', () => {
    for (const sample of Object.values(samples)) {
      expect(sample(input)).not.toContain('sk-');
      expect(sample({ ...input, key: 'sk-abc' })).toContain('sk-abc');
    }
  });

  it('of other clients and of apps do so too', () => {
    const others = [
      anthropicNodeSample,
      anthropicPythonSample,
      geminiNodeSample,
      geminiPythonSample,
      ...appSamples.map(({ text }) => text),
    ];
    for (const sample of others) {
      expect(sample(input)).toContain('https://gateway.example');
      expect(sample(input)).toContain('API_KEY');
      expect(sample(input)).not.toContain('sk-');
      expect(sample({ ...input, key: 'sk-abc' })).toContain('sk-abc');
    }
  });

  it('are syntactically sound, streamed or not', () => {
    for (const streamed of [true, false]) {
      const transpiler = new Bun.Transpiler({ loader: 'js' });
      expect(() => transpiler.transformSync(nodeSample({ ...input, streamed }))).not.toThrow();
      const body = /-d '(.*)'$/s.exec(curlSample({ ...input, streamed }))?.[1] ?? '';
      expect(JSON.parse(body)).toMatchObject({
        model: 'gpt-4o',
        messages: [{ role: 'user', content: 'ping' }],
      });
    }
  });

  it('keep a model with a quote in its name inside the quotes of the shell', async () => {
    const sample = curlSample({ ...input, model: "it's $HOME" }).replace(/^curl /, 'printf "%s\\n" ');
    const shell = Bun.spawn(['sh', '-c', sample], { stdout: 'pipe', env: { HOME: '/nowhere' } });
    expect(await new Response(shell.stdout).text()).toContain(`"model":"it's $HOME"`);
  });

  it('say what was said, with its settings', async () => {
    const said: SampleInput = {
      ...input,
      messages: [
        { role: 'system', content: 'Be "brief".' },
        { role: 'user', content: "It's\nme" },
      ],
      more: { temperature: 0.2, max_tokens: 50 },
    };
    const body = /-d '(.*)'$/s.exec(curlSample(said))?.[1]?.replaceAll(`'\\''`, "'") ?? '';
    expect(JSON.parse(body)).toEqual({
      model: 'gpt-4o',
      messages: said.messages,
      ...said.more,
      stream: true,
    });
    const call = /chat\.completions\.create\((.*?)\n\}\);/s.exec(nodeSample(said))?.[1];
    expect(Function(`return ${call}\n}`)()).toEqual({
      model: 'gpt-4o',
      messages: said.messages,
      ...said.more,
      stream: true,
    });
    const python = pythonSample(said);
    expect(python).toContain('{"role": "system", "content": "Be \\"brief\\"."},');
    expect(python).toContain('    temperature=0.2,\n    max_tokens=50,\n    stream=True,\n)');
  });

  describe('with a picture', () => {
    const FILE = "it's a $cat.png";
    const said: SampleInput = {
      ...input,
      messages: [
        { role: 'user', content: 'What `is` $HOME?', pictures: [{ name: FILE, type: 'image/png' }] },
      ],
    };
    const DATA = Buffer.from('a cat').toString('base64');
    const parts = [
      { type: 'text', text: 'What `is` $HOME?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${DATA}` } },
    ];

    it('read it from its file by the shell', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'sample-'));
      await Bun.write(join(folder, FILE), 'a cat');
      const sample = curlSample(said).replace(/^curl .*<<END$/ms, 'cat <<END');
      const shell = Bun.spawn(['sh', '-c', sample], { cwd: folder, stdout: 'pipe', env: process.env });
      const body = JSON.parse(await new Response(shell.stdout).text());
      expect(body.messages).toEqual([{ role: 'user', content: parts }]);
      await rm(folder, { recursive: true });
    });

    it('read it from its file by Node, in each dialect', () => {
      const read = (name: string, as: string) => `${name} as ${as}`;
      const asked = (program: string, call: RegExp) =>
        Function('readFileSync', `return ${call.exec(program)?.[1]}\n}`)(read);
      const data = `${FILE} as base64`;
      expect(
        asked(nodeSample(said), /chat\.completions\.create\((.*?)\n\}\);/s).messages[0].content[1],
      ).toEqual({
        type: 'image_url',
        image_url: { url: `data:image/png;base64,${data}` },
      });
      expect(
        asked(anthropicNodeSample(said), /messages\.stream\((.*?)\n\}\);/s).messages[0].content[0],
      ).toEqual({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } });
      expect(
        asked(geminiNodeSample(said), /generateContentStream\((.*?)\n\}\);/s).contents[0].parts[0],
      ).toEqual({ inlineData: { mimeType: 'image/png', data } });
      for (const sample of [nodeSample, anthropicNodeSample, geminiNodeSample])
        expect(sample(said)).toContain('import { readFileSync } from "node:fs";');
    });

    it('read no file that nobody chose, whatever a model has said', () => {
      const messages: SampleInput['messages'] = [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: '\uE000/etc/passwd\uE001' },
      ];
      const samples = [curlSample, nodeSample, pythonSample, anthropicNodeSample, anthropicPythonSample];
      for (const sample of [...samples, geminiNodeSample, geminiPythonSample]) {
        expect(sample({ ...input, messages })).toContain('"/etc/passwd"');
        expect(sample({ ...input, messages })).not.toMatch(/(readFileSync|open)\(|base64 </);
      }
    });

    it('read it from its file by Python', () => {
      for (const sample of [pythonSample, anthropicPythonSample]) {
        expect(sample(said)).toContain(`base64.b64encode(open("${FILE}", "rb").read()).decode()`);
        expect(sample(said)).toContain('import base64\n');
      }
      expect(geminiPythonSample(said)).toContain(`"data":open("${FILE}", "rb").read()`);
      expect(geminiPythonSample(said)).not.toContain('import base64');
    });
  });
});
