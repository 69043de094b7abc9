import { describe, expect, it, spyOn } from 'bun:test';
import { ASK, PLAIN, Service } from '../../../tests/support/session-service.ts';
import type { JsonObject } from '../../core/json.ts';
import { OpenAnswers } from './session-answers.ts';
import { Conversation } from './session-context.ts';
import { SessionCost } from './session-cost.ts';
import { SessionCounts } from './session-counts.ts';
import { Heard } from './session-transcripts.ts';

describe('a realtime session', () => {
  it('charges an answer without usage what those before it without any have read and said', async () => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    await service.run({ ...ASK, what: 'say', size: 1_000 });
    for (let answers = 0; answers < 3; answers++) {
      await service.run({ ...ASK, isApart: false });
      await service.quiet();
      await service.run({ ...ASK, what: 'begin' });
      await service.run({ ...ASK, what: 'speak', size: 2_000 });
      await service.run({ ...ASK, what: 'untold' });
    }
    service.meter.close();
    const { usage, calls } = await service.meter.total('done', 'caller');
    expect(calls).toBe(3);
    expect(usage.input).toBeWithin(1_000 + 1_100 + 1_200, 3_400);
    expect(usage.output).toBeWithin(300, 320);
  });

  it('keeps what nobody has told the usage of until it is counted, and no longer', async () => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const { meter } = service;
    const content = [{ type: 'input_text', text: 'word '.repeat(20_000) }];
    const output = [{ type: 'message', content: [{ text: 'word '.repeat(10_000) }] }];
    for (const id of ['a', 'b']) {
      await service.begins(id, { conversation: 'none', input: [{ content }] }, null);
      service.tell({ type: 'response.done', response: { id, status: 'completed', usage: null, output } });
    }
    expect(meter.keptBytes).toBeGreaterThan(2 * 2 * (100_000 + 50_000));
    meter.close();
    await meter.total('done', 'caller');
    expect(meter.keptBytes).toBe(0);
  });

  it('keeps no room for words whose count has failed', async () => {
    const { call } = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const cost = new SessionCost(
      call,
      { get: () => ({}) },
      new Conversation('gpt-realtime'),
      new OpenAnswers(),
    );
    const faults: unknown[] = [];
    const owner = { fault: (error: unknown) => void faults.push(error) };
    const counts = new SessionCounts('gpt-realtime', cost, { cover: () => undefined }, owner, call.caller);
    const item = new Heard();
    item.said.add('words');
    spyOn(item.said, 'tokens').mockRejectedValue(new Error('lost'));
    counts.written(item);
    expect(counts.keptBytes).toBeGreaterThan(0);
    await counts.settled();
    expect([counts.keptBytes, faults.length]).toEqual([0, 1]);
  });

  const calling = { type: 'function_call', name: '', arguments: 'word '.repeat(1_000) };
  const speaking = { type: 'message', content: [{ transcript: 'word '.repeat(500) }] };
  it.each<[what: string, output: JsonObject[]]>([
    ['in pieces', []],
    ['at its end', [speaking, calling]],
    ['at its end in part', [speaking]],
  ])('counts what an answer writes beside what it speaks, told %s', async (_, output) => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const begin = (id: string) =>
      service.tell({ type: 'response.created', response: { id, conversation_id: 'conv' } });
    const piece = (kind: string, delta: string) =>
      service.tell({ type: `response.${kind}.delta`, response_id: 'a', delta });
    begin('a');
    piece('output_audio_transcript', 'word '.repeat(500));
    piece('output_audio', Buffer.alloc(47_000).toString('base64'));
    piece('function_call_arguments', calling.arguments);
    service.tell({ type: 'response.done', response: { id: 'a', status: 'cancelled', usage: null, output } });
    begin('b');
    service.meter.close();
    const { usage } = await service.meter.total('done', 'caller');
    expect(usage.output).toBeWithin(1_000, 1_020);
    expect(usage.outputAudio).toBe(20);
    // The other one reads both.
    expect(usage.input).toBeWithin(1_000, 1_020);
    expect(usage.inputAudio).toBe(20);
  });

  it('counts what an answer speaks by its words where no sound of that comes', async () => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const response = { id: 'a', conversation_id: 'conv' };
    service.tell({ type: 'response.created', response });
    const delta = 'word '.repeat(500);
    service.tell({ type: 'response.audio_transcript.delta', response_id: 'a', delta });
    service.meter.close();
    const { usage } = await service.meter.total('done', 'caller');
    expect(usage.output).toBeWithin(500, 510);
  });

  it('counts the settings with which an answer was asked for, though others are told before it begins', async () => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    const { meter } = service;
    const told = (instructions: string) => ({ type: 'session.update', session: { instructions } });
    await service.hear(told('word '.repeat(10_000)));
    await service.hear({ type: 'response.create', response: { conversation: 'none', input: [] } });
    await service.hear(told(''));
    service.tell({ type: 'response.created', response: { id: 'a', conversation_id: null } });
    meter.close();
    const { usage } = await meter.total('client_gone', 'caller');
    expect(usage.input).toBeWithin(10_000, 10_300);
  });

  it('counts what an answer under way reads for those beside it, too', async () => {
    const service = new Service(PLAIN, 1_000_000_000, () => 0, false);
    await service.run({ ...ASK, what: 'say', size: 1_000 });
    for (const isApart of [false, true, true]) {
      await service.run({ ...ASK, hasOwn: false, isApart });
      await service.quiet();
      await service.run({ ...ASK, what: 'begin' });
    }
    service.meter.close();
    const { usage } = await service.meter.total('client_gone', 'caller');
    expect(usage.input).toBeWithin(3_000, 3_100);
  });
});
