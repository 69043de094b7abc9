/** The vendors' own wires, each by frames as the vendor sends them and by the request that it must get. */
import { describe, expect, it } from 'bun:test';
import { accumulate } from '../../tests/dialects/accumulate.ts';
import { noUsage } from '../core/usage.ts';
import { type Frame, parseFrame } from '../dialects/frames.ts';
import type { ChatRequest, Part } from '../dialects/neutral.ts';
import { aiProxyWire } from './aiproxy/wire.ts';
import { baiduWire } from './baidu/wire.ts';
import { difyWire } from './dify/wire.ts';
import { palmWire } from './palm/wire.ts';
import { tencentWire } from './tencent/wire.ts';
import type { VendorWire } from './vendor-wire.ts';
import { fillFrame, sparkVersion, xunfeiWire } from './xunfei/wire.ts';
import { zhipuWire } from './zhipu/wire.ts';

const frames = (...texts: string[]): Frame[] =>
  texts.map((text) => parseFrame(new TextEncoder().encode(`${text}\n\n`)) ?? { event: '', data: '' });

const collect = (wire: VendorWire, sent: Frame[]) => {
  const reader = wire.streamReader();
  return accumulate([...sent.flatMap((frame) => reader.push(frame)), ...reader.end()]);
};

const text = (said: string): Part => ({ type: 'text', text: said });

const request: ChatRequest = {
  dialect: 'openai-chat',
  model: 'm',
  stream: false,
  messages: [
    { role: 'system', parts: [text('be brief')] },
    { role: 'user', parts: [text('hi')] },
  ],
  tools: [],
  temperature: 1.7,
  seed: 7,
  extra: {},
};

const write = (wire: VendorWire, given: Partial<ChatRequest> = {}, stream = false) => {
  const dropped: string[] = [];
  const target = {
    model: 'm',
    stream,
    askUsage: true,
    defaultMaxTokens: 4096,
    drop: (what: string) => dropped.push(what),
  };
  const body = wire.writeRequest({ ...request, ...given }, target);
  return { body, dropped };
};

const usage = (input: number, output: number) => ({ ...noUsage(), input, output });

describe('Baidu Wenxin', () => {
  it('reads a stream', () => {
    const reply = collect(
      baiduWire,
      frames(
        'data: {"id":"as-1","created":1,"sentence_id":0,"is_end":false,"result":"o","usage":{"prompt_tokens":1,"completion_tokens":0,"total_tokens":1}}',
        'data: {"id":"as-1","created":1,"sentence_id":1,"is_end":true,"result":"k","finish_reason":"normal","usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}',
      ),
    );
    expect(reply.choices[0]?.parts).toEqual([text('ok')]);
    expect(reply.choices[0]?.stop).toBe('stop');
    expect(reply.usage).toEqual(usage(1, 2));
  });

  it('writes the system text apart and turns that begin and end with the user', () => {
    const { body, dropped } = write(baiduWire, {
      messages: [...request.messages, { role: 'assistant', parts: [text('yes?')] }],
    });
    expect(body.system).toBe('be brief');
    expect(body.messages).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'yes?' },
      { role: 'user', content: '...' },
    ]);
    expect(body.temperature).toBe(1);
    expect(dropped).toEqual(['seed']);
  });

  it('knows an expired token from a full line', () => {
    expect(baiduWire.readError({ error_code: 110, error_msg: 'Access token invalid' })?.status).toBe(401);
    expect(baiduWire.readError({ error_code: 18, error_msg: 'qps' })?.status).toBe(429);
    expect(baiduWire.readError({ result: 'fine' })).toBeNull();
  });
});

describe('Zhipu v3', () => {
  it('reads its stream of raw text and the meta field of the last event', () => {
    const reply = collect(
      zhipuWire,
      frames(
        'event:add\nid:1\ndata:o',
        'event:add\nid:1\ndata:k\ndata:!',
        'event:finish\nid:1\ndata:\nmeta:{"task_id":"1","usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}',
      ),
    );
    expect(reply.choices[0]?.parts).toEqual([text('ok\n!')]);
    expect(reply.usage).toEqual(usage(1, 2));
  });

  it('takes the quotation marks off a whole answer', () => {
    const reply = zhipuWire.readReply({
      success: true,
      data: {
        task_id: 't',
        choices: [{ role: 'assistant', content: '" ok "' }],
        usage: { prompt_tokens: 1, total_tokens: 3 },
      },
    });
    expect(reply.choices[0]?.parts).toEqual([text(' ok ')]);
    expect(reply.usage).toEqual(usage(1, 2));
  });

  it('reads its refusals', () => {
    expect(zhipuWire.readError({ code: 1302, msg: 'busy', success: false })?.status).toBe(429);
    expect(zhipuWire.readError({ code: 200, success: true })).toBeNull();
  });
});

describe('Tencent Hunyuan', () => {
  it('reads a whole answer', () => {
    const reply = tencentWire.readReply({
      Response: {
        Choices: [
          { Message: { Role: 'assistant', Content: 'ok', ReasoningContent: 'hm' }, FinishReason: 'stop' },
        ],
        Created: 1,
        Id: 'i',
        Usage: { PromptTokens: 1, CompletionTokens: 2, TotalTokens: 3 },
      },
    });
    expect(reply.choices[0]?.parts).toEqual([
      { type: 'thinking', text: 'hm', origin: 'openai-chat' },
      text('ok'),
    ]);
    expect(reply.usage).toEqual(usage(1, 2));
  });

  it('reads a stream with a tool call in pieces', () => {
    const chunk = (delta: object, FinishReason = '') =>
      `data: ${JSON.stringify({ Id: 'i', Created: 1, Choices: [{ Delta: delta, FinishReason }], Usage: { PromptTokens: 1, CompletionTokens: 2 } })}`;
    const reply = collect(
      tencentWire,
      frames(
        chunk({
          Role: 'assistant',
          ToolCalls: [{ Id: 'c1', Index: 0, Function: { Name: 'f', Arguments: '{"x"' } }],
        }),
        chunk({ ToolCalls: [{ Index: 0, Function: { Arguments: ':1}' } }] }),
        chunk({}, 'tool_calls'),
      ),
    );
    expect(reply.choices[0]?.parts).toEqual([
      { type: 'tool-call', id: 'c1', name: 'f', input: '{"x":1}', kind: 'function' },
    ]);
    expect(reply.choices[0]?.stop).toBe('tool-calls');
  });

  it('reads the status out of the code', () => {
    const error = (Code: string) =>
      tencentWire.readError({ Response: { Error: { Code, Message: 'm' } } })?.status;
    expect(error('AuthFailure.SignatureFailure')).toBe(401);
    expect(error('RequestLimitExceeded')).toBe(429);
    expect(error('InvalidParameterValue.Model')).toBe(400);
    expect(error('InternalError')).toBe(502);
  });
});

describe('Xunfei Spark', () => {
  const frame = (status: number, content: string, more: object = {}) => ({
    event: '',
    data: JSON.stringify({
      header: { code: 0, message: 'Success', sid: 's', status },
      payload: { choices: { status, seq: 0, text: [{ content, role: 'assistant', index: 0 }] }, ...more },
    }),
  });

  it('reads frames until the last one, which has the usage', () => {
    const reply = collect(xunfeiWire, [
      frame(0, 'o'),
      frame(2, 'k', { usage: { text: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } } }),
    ]);
    expect(reply.choices[0]?.parts).toEqual([text('ok')]);
    expect(reply.usage).toEqual(usage(1, 2));
  });

  it('tells old versions the system text as a turn', () => {
    const frame = write(xunfeiWire).body;
    const rolesOf = (domain: string) =>
      (fillFrame(frame, { appId: 'app', domain }) as typeof told).payload.message.text.map(
        ({ role }) => role,
      );
    const told = { payload: { message: { text: [{ role: '' }] } } };
    expect(rolesOf('generalv2')).toEqual(['user', 'assistant', 'user']);
    expect(rolesOf('generalv3.5')).toEqual(['system', 'user']);
    expect(fillFrame(frame, { appId: 'app', domain: 'lite' })).toMatchObject({
      header: { app_id: 'app' },
      parameter: { chat: { domain: 'lite' } },
    });
  });

  it('finds the version in the name or the channel', () => {
    expect(sparkVersion('SparkDesk-v3.5', 'v2.1')).toBe('v3.5');
    expect(sparkVersion('SparkDesk-v3.1-128k', 'v2.1')).toBe('v3.1-128K');
    expect(sparkVersion('SparkDesk', 'v2.1')).toBe('v2.1');
    expect(sparkVersion('SparkDesk', 'v5.0')).toBe('v5.0');
    expect(sparkVersion('Spark-Max-32K', '')).toBe('v3.5-32K');
    expect(sparkVersion('SparkDesk', '')).toBe('v1.1');
  });

  it('takes no version that would be another path', () => {
    expect(sparkVersion('SparkDesk', '../v4.0')).toBe('v1.1');
    expect(sparkVersion('SparkDesk-v9/../../v4.0/chat?x=', '')).toBe('v1.1');
    expect(sparkVersion('constructor', 'constructor')).toBe('v1.1');
  });

  it('reads its refusals', () => {
    expect(xunfeiWire.readError({ header: { code: 11202, message: 'too fast' } })?.status).toBe(429);
    expect(xunfeiWire.readError({ header: { code: 0 } })).toBeNull();
  });
});

describe('Dify', () => {
  it('reads the answer out of many events, and its thinking', () => {
    const event = (body: object) => `data: ${JSON.stringify({ conversation_id: 'c', ...body })}`;
    const reply = collect(
      difyWire,
      frames(
        event({ event: 'workflow_started', data: { workflow_id: 'w' } }),
        event({ event: 'message', answer: '<details style="x" open> <summary> Thinking... </summary>\n' }),
        event({ event: 'message', answer: 'hm' }),
        event({ event: 'message', answer: '</details>o' }),
        'event: ping',
        event({ event: 'message', answer: 'k' }),
        event({ event: 'message_end', metadata: { usage: { prompt_tokens: 1, completion_tokens: 2 } } }),
      ),
    );
    expect(reply.choices[0]?.parts).toEqual([
      { type: 'thinking', text: 'hm', origin: 'openai-chat' },
      text('ok'),
    ]);
    expect(reply.usage).toEqual(usage(1, 2));
  });

  it('writes the whole talk as one question', () => {
    const { body } = write(difyWire, {}, true);
    expect(body.query).toBe('SYSTEM: \nbe brief\nUSER: \nhi\n');
    expect(body.response_mode).toBe('streaming');
  });
});

describe('AI Proxy', () => {
  it('lists the documents at the end of a stream', () => {
    const reply = collect(
      aiProxyWire,
      frames(
        'data:{"content":"ok","finish":false,"model":"m","documents":[]}',
        'data:{"content":"","finish":true,"model":"m","documents":[{"title":"t","url":"u"}]}',
      ),
    );
    expect(reply.choices[0]?.parts).toEqual([text('ok\n\n参考文档：\n1. [t](u)')]);
    expect(reply.choices[0]?.stop).toBe('stop');
  });
});

describe('PaLM', () => {
  it('writes authors and reads candidates', () => {
    const { body } = write(palmWire);
    expect(body.prompt).toEqual({ context: 'be brief', messages: [{ author: '0', content: 'hi' }] });
    expect(palmWire.readReply({ candidates: [{ author: '1', content: 'ok' }] }).choices[0]?.parts).toEqual([
      text('ok'),
    ]);
    expect(palmWire.readError({ filters: [{ reason: 'SAFETY' }] })?.error.message).toContain('SAFETY');
  });
});

describe('every vendor wire', () => {
  const wires = [baiduWire, zhipuWire, tencentWire, xunfeiWire, difyWire, aiProxyWire, palmWire];

  it.each(wires.map((wire) => [wire.id, wire] as const))(
    '%s refuses what it would lose in silence',
    (_, wire) => {
      const audio: Part = {
        type: 'audio',
        source: { kind: 'data', mediaType: 'audio/wav', data: 'AA==' },
        format: 'wav',
      };
      expect(() => write(wire, { messages: [{ role: 'user', parts: [audio] }] })).toThrow('invalid_request');
    },
  );

  it.each(wires.map((wire) => [wire.id, wire] as const))(
    '%s says which settings it leaves out',
    (_, wire) => {
      expect(write(wire, { logprobs: true }).dropped).toContain('logprobs');
    },
  );

  it.each(wires.map((wire) => [wire.id, wire] as const))(
    '%s names what it leaves out as callers know it, and leaves out nothing that asks for nothing',
    (_, wire) => {
      const { dropped } = write(wire, {
        topLogprobs: 2,
        parallelToolCalls: false,
        serviceTier: 'flex',
        modalities: ['text'],
        logprobs: false,
        choices: 1,
        store: false,
      });
      expect(dropped).toContainValues(['top_logprobs', 'parallel_tool_calls', 'service_tier']);
      expect(dropped).not.toContainAnyValues(['modalities', 'logprobs', 'n', 'choices', 'store']);
    },
  );

  it('AI Proxy names tools, their choice and the limit too, for which all dialects have words', () => {
    const asked = { tools: [{ type: 'function' as const, name: 'f' }], maxOutputTokens: 9 };
    const { dropped } = write(aiProxyWire, {
      ...asked,
      toolChoice: { mode: 'required' },
      choices: 2,
      user: 'u',
    });
    expect(dropped).toContainValues(['tools', 'tool_choice', 'max_tokens', 'n', 'user']);
    const spoken = write(xunfeiWire, { ...asked, user: 'u' });
    expect(spoken.dropped).not.toContainAnyValues(['tools', 'max_tokens', 'user']);
  });
});
