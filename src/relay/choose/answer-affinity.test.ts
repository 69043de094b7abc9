import { expect, it } from 'bun:test';
import { BY_SECRET, byLowBits, plainNames } from '../../../tests/support/alike-names.ts';
import { limits } from '../../core/limits.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { memoryOneTimeStore } from '../../platform/memory-stores.ts';
import { withWhatIsKept } from './answer-affinity.ts';

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
