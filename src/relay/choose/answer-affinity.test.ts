import { describe, expect, it } from 'bun:test';
import { BY_SECRET, byLowBits, plainNames } from '../../../tests/support/alike-names.ts';
import { channel } from '../../../tests/support/routed-channel.ts';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { memoryOneTimeStore } from '../../platform/memory-stores.ts';
import { byAnswerAffinity, withWhatIsKept } from './answer-affinity.ts';

const caller = { userId: 1, appId: null };
const REFUSED = expect.objectContaining({ code: 'invalid_request' });

/** A request that names these sounds. */
const naming = (ids: readonly string[]) => {
  const messages = [
    ...ids.map((id) => ({ role: 'assistant', audio: { id } })),
    { role: 'user', content: 'Of what?' },
  ];
  return { facts: openaiChat.readRequest({ model: 'gpt-audio', messages }, {}) };
};
const deps = { answers: memoryOneTimeStore(), pieces: memoryOneTimeStore(), log: { warn: () => undefined } };
const looked = (ids: readonly string[]) => withWhatIsKept(naming(ids), caller, deps);

it('refuses sounds of one hash', async () => {
  for (const ids of [byLowBits(40), BY_SECRET.latin(40), BY_SECRET.wide(40)])
    await expect(looked(ids)).rejects.toEqual(REFUSED);
});

it('looks for as many sounds as a talk has, and no more', async () => {
  const { facts } = await looked(plainNames(limits.spokenMax));
  expect(facts.prompt.spoken?.length).toBe(limits.spokenMax);
  expect(() => naming(plainNames(limits.spokenMax + 1))).toThrow(REFUSED);
});

describe('what proves thoughts', () => {
  const proof = { type: 'reasoning.encrypted', format: 'google-gemini-v1', data: 'cHJvb2Y=' };
  const history = [{ role: 'assistant', content: '', reasoning_details: [proof] }];
  const built = (upstream: string, messages: JsonObject[]) => {
    const body = { model: 'house', messages };
    const request = { body, facts: openaiChat.readRequest(body, {}) };
    const tiers = [{ priority: 0, channels: [channel(1)] }];
    const asked = { tiers, upstreamOf: () => ({ model: upstream, variant: null }) };
    return byAnswerAffinity({ ...caller, group: 'default' }, request, asked, deps);
  };
  const said = [...history, { role: 'user', content: 'And now?' }];

  it.each([
    ['google/gemini-3-pro', history],
    ['google/gemini-3-pro', said],
    ['google/gemini-4-pro', said],
  ])('names nothing that an account keeps: of %s, %#', async (upstream, messages) => {
    const { facts } = (await built(upstream, messages)).request;
    expect([facts.continues, facts.prompt.unseen]).toEqual([undefined, undefined]);
  });

  it('but what must be a token of an answer in several calls does', async () => {
    const { facts } = (await built('google/gemini-4-pro', history)).request;
    expect([facts.continues?.isCertain, facts.prompt.unseen]).toEqual([true, true]);
  });
});
