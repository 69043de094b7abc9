import { describe, expect, it } from 'bun:test';
import { ANSWER, factor, PLAIN, quote, ratios, Service } from '../../../tests/support/session-service.ts';
import { limits } from '../../core/limits.ts';
import { mostAfter } from '../../core/price-bound.ts';
import { quotaOf } from '../../core/price-formula.ts';
import { noUsage } from '../../core/usage.ts';

describe('a realtime session', () => {
  it.each<[why: string, affords: number, asked: number]>([
    ['could not be held', 1, 2],
    ['was one too many', 1_000, limits.sessionAnswersAtOnce + 1],
  ])('has no model named by the wish for an answer that %s', async (_, affords, asked) => {
    const balance = affords * mostAfter(PLAIN, noUsage(), 0, ANSWER);
    const service = new Service(PLAIN, balance, () => 0, false);
    const price = { kind: 'tokens' as const, ratios: ratios(0) };
    const wish = { type: 'response.create', response: { conversation: 'none', input: [] } };
    for (let n = 1; n < asked; n++) expect(await service.hear(wish)).toBeNull();
    const scribe = { model: 'scribe', upstream: 'scribe', price };
    expect(await service.hear(wish, scribe)).not.toBeNull();
    expect(service.meter.transcriber).toBeUndefined();
    await service.hear({ type: 'session.update' }, scribe);
    expect(service.meter.transcriber).toBe(scribe);
  });

  it('covers what a model of its own writes down', async () => {
    const one = mostAfter(PLAIN, noUsage(), 0, ANSWER);
    const service = new Service(PLAIN, 10 * one, () => 0, false);
    const { meter, call } = service;
    const price = { kind: 'tokens' as const, ratios: ratios(20) };
    service.say(
      { type: 'session.update', session: { input_audio_transcription: { model: 'scribe' } } },
      () => 0,
      { model: 'scribe', upstream: 'scribe', price },
    );
    const seconds = 300;
    const audio = Buffer.alloc(48_000 * seconds).toString('base64');
    service.say({ type: 'input_audio_buffer.append', audio }, () => 0);
    service.say({ type: 'input_audio_buffer.commit' }, () => 0);
    await service.quiet();
    expect(service.ended).toBeNull();
    meter.close();
    const { usage, transcribed, calls } = await meter.total('done', 'caller');
    expect(transcribed).toMatchObject({ model: 'scribe', calls: 1, usage: { input: 5_000 } });
    expect(call.held).toBeGreaterThanOrEqual(quotaOf({ ...PLAIN, transcribed }, usage, calls));
    expect(call.held).toBeGreaterThan(one);
  });

  it('covers what its own model may write down where a cheaper one is named and not told', async () => {
    const silent = { ...ratios(1), completion: factor(0), audioCompletion: factor(0) };
    const service = new Service(quote({ kind: 'tokens', ratios: silent }), 100_000, () => 0, false);
    const { meter, call } = service;
    const price = { kind: 'tokens' as const, ratios: ratios(0.01) };
    const scribe = { model: 'scribe', upstream: 'scribe', price };
    const session = { input_audio_transcription: { model: 'scribe' } };
    service.say({ type: 'session.update', session }, () => 0, scribe);
    const audio = Buffer.alloc(48_000 * 60).toString('base64');
    service.say({ type: 'input_audio_buffer.append', audio }, () => 0);
    service.say({ type: 'input_audio_buffer.commit' }, () => 0);
    await service.quiet();
    meter.close();
    const { usage, transcribed } = await meter.total('done', 'caller');
    expect([usage.input, transcribed]).toEqual([1_000, undefined]);
    expect(call.held).toBeGreaterThanOrEqual(1_000);
  });
});
