import { describe, expect, it, spyOn } from 'bun:test';
import { bytesKeptBy } from '../../../tests/support/heap.ts';
import {
  ANSWER,
  ASK,
  factor,
  PLAIN,
  quote,
  ratios,
  Service,
  truncated,
} from '../../../tests/support/session-service.ts';
import { type JsonObject, parseObject } from '../../core/json.ts';
import { MIB } from '../../core/limits/sizes.ts';
import { limits } from '../../core/limits.ts';
import { mostAfter } from '../../core/price-bound.ts';
import { quotaOf } from '../../core/price-formula.ts';
import { completionTokens, noUsage, promptTokens, type UsageCount } from '../../core/usage.ts';
import { readRealtimeSent } from '../../dialects/plain/realtime-sent.ts';
import { Conversation } from './session-context.ts';

it.each(['truncation', 'instructions', 'voice'])(
  'a conversation keeps no more of its %s than it counts',
  (field) => {
    const event = JSON.stringify({ type: 'session.update', session: { [field]: 'x'.repeat(4 * MIB) } });
    const make = () => {
      const conversation = new Conversation('gpt-realtime');
      conversation.add(readRealtimeSent(parseObject(event) ?? {}));
      return conversation;
    };
    // Of several a stray text that the engine has not let go of yet is no large part.
    const kept = bytesKeptBy(() => Array.from({ length: 8 }, make));
    expect(kept).toBeLessThan(8 * (make().keptBytes + MIB));
  },
);

const FILMS = quote({ kind: 'tokens', ratios: { ...ratios(1), video: factor(9) } });

describe.each(['answered', 'answeredInPart'] as const)('a conversation that has %s', (how) => {
  it.each(Object.keys(noUsage()) as UsageCount[])('reads again what was told as %s', (kind) => {
    // What was thought is part of an answer, and is not read again.
    const tokens = kind === 'reasoning' ? 0 : 5_000;
    const conversation = new Conversation('qwen-omni');
    conversation.begin();
    conversation[how]({ ...noUsage(), [kind]: 5_000 });
    const { text, audio, image, films = 0 } = conversation.most();
    expect(text + audio + image + films).toBe(tokens);
    const reads = conversation.begin();
    const counted = conversation.counted(reads, { input: 0, inputAudio: 0 });
    expect([promptTokens(counted), completionTokens(counted), counted.reasoning]).toEqual([tokens, 0, 0]);
    const most = { prompt: conversation.mostCounted(reads), output: 0, answers: 1 };
    expect(mostAfter(FILMS, noUsage(), 0, most)).toBeGreaterThanOrEqual(quotaOf(FILMS, counted));
  });
});

describe('a realtime session', () => {
  it.each([
    ['a reference', [{ type: 'item_reference', id: 'item_1' }]],
    [
      'a reference among others',
      [{ content: [{ type: 'input_text', text: 'x' }] }, { type: 'item_reference' }],
    ],
    ['an item of a kind that nobody knows', [{ type: 'of_tomorrow', id: 'item_1' }]],
    ['what is no item', ['item_1']],
  ])('counts the conversation for an answer that brings %s along', async (_, input) => {
    const service = new Service(PLAIN, 3 * mostAfter(PLAIN, noUsage(), 0, ANSWER), () => 0, false);
    await service.run({ ...ASK, what: 'say', size: 10_000 });
    let up = 0;
    for (let asked = 0; asked < 40; asked++) {
      const response = { conversation: 'none', input, max_output_tokens: 1 };
      service.say({ type: 'response.create', response }, () => up++);
    }
    await service.quiet();
    expect(up).toBeGreaterThan(0);
    expect(up * 10_000).toBeLessThanOrEqual(service.bank.balance);
  });

  const long = 'word '.repeat(10_000);
  const told = (session: JsonObject): JsonObject => ({ type: 'session.update', session });
  const item: JsonObject = {
    type: 'conversation.item.create',
    item: { content: [{ type: 'input_text', text: long }] },
  };
  it.each<[what: string, before: JsonObject, response: JsonObject, tokens: number]>([
    ['reads nothing of it', item, { input: [] }, 20],
    ['reads something else', item, { input: [{ content: [{ type: 'input_text', text: 'x' }] }] }, 20],
    ['has other instructions', told({ instructions: long }), { instructions: 'x' }, 20],
    ['has other tools', told({ tools: [{ type: 'function', description: long }] }), { tools: [] }, 20],
    ['has another prompt', told({ prompt: { variables: { a: long } } }), { prompt: { id: 'x' } }, 20],
    ['is told to have taken nothing', item, {}, 0],
  ])('counts the conversation after an answer of it that %s', async (_, before, response, tokens) => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const { meter } = service;
    await service.hear(before);
    for (const id of ['a', 'b']) {
      await service.begins(id, response);
      service.ends(id, tokens, Math.min(tokens, 1));
    }
    for (let n = 0; n < 10; n++) await service.begins(`c${n}`, { conversation: 'none' }, null);
    expect(service.bank.held).toBeGreaterThan(10 * 10_000);
    meter.close();
    const { usage } = await meter.total('client_gone', 'caller');
    expect(usage.input).toBeWithin(10 * 10_000, 10 * 10_300);
  });

  const ref = { type: 'item_reference', id: 'item_big' };
  const WISH: JsonObject = { type: 'response.create', response: {} };
  const OWN: JsonObject = { type: 'response.create', response: { input: [] } };
  /** What is asked for and, as 'wait', when that is too late for what was; then, by its tokens, what an answer reads. */
  it.each<[what: string, course: (JsonObject | 'wait' | number)[]]>([
    ['begin late', [OWN, 'wait', 20]],
    ['begin late, when another one was asked for', [OWN, 'wait', WISH, 10_000, WISH, 20]],
    ['begin after one that was asked for after them', [OWN, WISH, 10_000, 'wait', 20]],
    ['begin last of all', [OWN, WISH, WISH, 10_000, 10_000, 20]],
    ['begin after one that nobody asked for', [OWN, 10_000, 'wait', 20]],
  ])('counts the conversation after answers with an input of their own that %s', async (_, course) => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const { meter } = service;
    await service.hear(item);
    let now = performance.now();
    const clock = spyOn(performance, 'now').mockImplementation(() => now);
    let answers = 0;
    const twice = [...course, ...course];
    for (const each of twice) {
      if (each === 'wait') now += limits.answerBeginsMs + 1;
      else if (typeof each !== 'number') await service.hear(each);
      else {
        const id = `a${answers++}`;
        service.tell({ type: 'response.created', response: { id, conversation_id: 'conv' } });
        service.ends(id, each);
      }
    }
    clock.mockRestore();
    const told = twice.reduce<number>((sum, each) => sum + (typeof each === 'number' ? each : 0), 0);
    for (let n = 0; n < 10; n++) await service.begins(`b${n}`, { conversation: 'none' }, null);
    meter.close();
    const { usage } = await meter.total('client_gone', 'caller');
    expect(usage.input - told).toBeGreaterThan(10 * 10_000);
  });

  it('counts what answers have left out of the conversation when they may read it again', async () => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const { meter } = service;
    await service.hear(item);
    await service.hear(truncated(10));
    for (const id of ['a', 'b', 'c']) {
      await service.begins(id, {});
      service.ends(id, 20);
    }
    expect(service.bank.held).toBeLessThan(10 * 10_000);
    await service.begins('d', {});
    await service.hear(truncated(null));
    service.ends('d', 20);
    for (let n = 0; n < 10; n++) await service.begins(`e${n}`, { conversation: 'none' }, null);
    expect(service.bank.held).toBeGreaterThan(10 * 10_000);
    meter.close();
    const { usage } = await meter.total('client_gone', 'caller');
    expect(usage.input).toBeGreaterThan(10 * 10_000);
  });

  /** Tokens of one item, those that answers read of it, by truncation or not, and what is read by its name. */
  it.each<[what: string, tokens: number, read: number | null, input: JsonObject[], named: number]>([
    ['left out of it', 20_000, 20, [ref], 20_000],
    ['named often', 2_000, null, Array(10).fill(ref), 20_000],
    ['named often, up to what its model reads at once', 2_000, null, Array(1_000).fill(ref), 32_768],
    ['named in a message', 2_000, null, [{ type: 'message', role: 'user', content: [ref, ref] }], 4_000],
  ])(
    'holds and counts for an answer what of the conversation is %s',
    async (_, tokens, read, input, named) => {
      const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
      const { meter } = service;
      const text = 'word '.repeat(tokens);
      await service.hear({
        type: 'conversation.item.create',
        item: { id: ref.id, content: [{ type: 'input_text', text }] },
      });
      if (read !== null) await service.hear(truncated(read));
      for (const id of ['a', 'b']) {
        await service.begins(id, {});
        service.ends(id, read ?? tokens);
      }
      for (let n = 0; n < 10; n++) await service.begins(`c${n}`, { conversation: 'none', input }, null);
      expect(service.bank.held).toBeGreaterThanOrEqual(10 * named);
      meter.close();
      const { usage, calls } = await meter.total('client_gone', 'caller');
      expect(usage.input).toBeGreaterThanOrEqual(10 * named);
      expect(quotaOf(PLAIN, usage, calls)).toBeLessThanOrEqual(service.bank.held);
      expect(usage.input).toBeLessThan(10 * 4 * named);
    },
  );

  it('counts for an answer what it names of words that no upstream has counted yet, as often as it does', async () => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const { meter } = service;
    await service.run({ ...ASK, what: 'say', size: 10_000 });
    await service.quiet();
    await service.begins('a', { input: Array(3).fill(ref) });
    meter.close();
    const { usage, calls } = await meter.total('client_gone', 'caller');
    expect(usage.input).toBeGreaterThanOrEqual(30_000);
    expect(quotaOf(PLAIN, usage, calls)).toBeLessThanOrEqual(service.bank.held);
  });

  /** Tokens of the conversation, and those that an answer reads of it which says 200 in addition. */
  it.each<[what: string, known: number, read: number, isTold: boolean]>([
    ['has told its usage', 1_000, 1_000, true],
    ['has left out some of the others', 1_000, 20, true],
    ['has told nothing', 1_000, 1_000, false],
  ])('counts for an answer what it names of one that %s by then', async (_, known, read, isTold) => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const { meter } = service;
    await service.run({ ...ASK, what: 'say', size: known });
    await service.quiet();
    await service.begins('first', {});
    service.ends('first', known, 0);
    if (read < known) await service.hear(truncated(read));
    await service.begins('a', { max_output_tokens: 400 });
    service.tell({ type: 'response.output_text.delta', response_id: 'a', delta: 'word '.repeat(200) });
    await service.hear({
      type: 'response.create',
      response: { conversation: 'none', input: [ref, ref, ref] },
    });
    // Its upstream has said so before it heard of the next one.
    const usage = isTold ? { input_tokens: read, output_tokens: 200 } : null;
    service.tell({ type: 'response.done', response: { id: 'a', status: 'completed', usage } });
    service.tell({ type: 'response.created', response: { id: 'b', conversation_id: null } });
    meter.close();
    const total = await meter.total('client_gone', 'caller');
    const named = 3 * (known + 200);
    expect(promptTokens(total.usage) - known - read).toBeWithin(named, named + (isTold ? 100 : 700));
    expect(quotaOf(PLAIN, total.usage, total.calls)).toBeLessThanOrEqual(service.bank.held);
  });

  it.each(['before it was asked for', 'since then', 'for a while in between'])(
    'counts for an answer with an input of its own what its session was told %s',
    async (when) => {
      const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
      const set = (instructions: string) => service.hear(told({ instructions }));
      const ask = () =>
        service.hear({ type: 'response.create', response: { conversation: 'none', input: [] } });
      if (when !== 'before it was asked for') await ask();
      await set(long);
      if (when === 'before it was asked for') await ask();
      if (when !== 'since then') await set('');
      // Its upstream may have begun it at any time since it was asked for.
      service.tell({ type: 'response.created', response: { id: 'a', conversation_id: null } });
      service.meter.close();
      const { usage, calls } = await service.meter.total('client_gone', 'caller');
      expect(usage.input).toBeWithin(10_000, 10_300);
      expect(quotaOf(PLAIN, usage, calls)).toBeLessThanOrEqual(service.bank.held);
    },
  );

  it('counts nothing for an answer of one that nobody had begun when it was asked for', async () => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, true);
    await service.hear({
      type: 'response.create',
      response: { conversation: 'none', input: [ref, ref, ref] },
    });
    service.tell({ type: 'response.created', response: { id: 'a', conversation_id: 'conv' } });
    service.ends('a', 10, 4_000);
    service.tell({ type: 'response.created', response: { id: 'b', conversation_id: null } });
    service.meter.close();
    const { usage, calls } = await service.meter.total('client_gone', 'caller');
    expect(promptTokens(usage)).toBeWithin(10 + 4_000, 10 + 4_100);
    expect(quotaOf(PLAIN, usage, calls)).toBeLessThanOrEqual(service.bank.held);
  });

  it('counts for an answer what the service itself has left out of a long conversation, and is named', async () => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const { meter } = service;
    await service.run({ ...ASK, what: 'say', size: 27_000 });
    const courses = [27_000, 3_000, 3_000];
    for (const [n, tokens] of courses.entries()) {
      await service.begins(`a${n}`, {});
      service.ends(`a${n}`, tokens);
      if (n === 0) await service.run({ ...ASK, what: 'say', size: 3_000 });
      await service.quiet();
    }
    for (let n = 0; n < 10; n++)
      await service.hear({ type: 'response.create', response: { conversation: 'none', input: [ref] } });
    meter.close();
    const { usage } = await meter.total('client_gone', 'caller');
    expect(usage.input).toBeGreaterThan(33_000 + 10 * 27_000);
  });
});
