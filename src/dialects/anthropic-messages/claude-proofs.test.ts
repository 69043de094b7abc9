import { describe, expect, it } from 'bun:test';
import { createHash } from 'node:crypto';
import { limits } from '../../core/limits.ts';
import { carry } from '../carried.ts';
import { proofFor, proofOf } from './claude-proofs.ts';

const CLAUDE = { model: 'anthropic/claude-opus-4.8', wantsThoughts: true };
const WANTING = { model: 'kimi-k2.5', wantsThoughts: true };
const ANOTHER = { model: 'some-model' };

/** Recorded of Anthropic's own service and of Bedrock. */
const OF_ANTHROPIC =
  'Er4BCkYICxgCKkCoxqLHLrx4mFL9Ox7/aHKht87WDzXfvZ7qbZKSnHV8imA5b3LXxuVqcXQ9z5sXwDx20JIW/+6DJehOSNK72L83Egx0T9s7VzB6QUK9g5kaDO9lGaWN5CPEDJU0lyIw4+Ed3q4N9w+16h3cfQ+9stJXHCl+1nYDxjIOLcyJT8Ug/LTmtlp4bbxWmmfNicayKiasdReHiOnqz1sKEF0pR4kcnF5mQGdLxk8q3A3NY+wGsH8MtUIqxRgB';
const OF_BEDROCK =
  'EvYBCkgICxABGAIqQA9E9VC377UnbjdfXCw4RwQaaIXsqocZKzI3WwWtXT/wBjzAkBOfIiVkP/mhvsPGb5oQW/2j+E1tZcNFoXIb26YSDBTSbDrbHwXJoAl3/hoMA/Qo4rIHvObP/yBrIjAT+l69mh9k7evFO+w+ransSD5YGq4hYrieOyJH3k/zHv8nBJwiz3Nlrb3jNFi2Ib0qXJH7BIK0hR85yYIoccReoJUpeLEMxeWbsO6f0EpOSMSi3YDLd1U9NAw7Itjeay1fEBPHwvawt2M4e/rn52SsuEz3p2DfOZm+N3bnL63rg0Cb9lFcp3k5kuU1h6hcGAE=';

/** Without any form, and the same each time. */
function formless(bytes: number): Buffer {
  const blocks: Buffer[] = [];
  for (let n = 0; n * 64 < bytes; n++) blocks.push(createHash('sha512').update(`${n}`).digest());
  return Buffer.concat(blocks).subarray(0, bytes);
}
const base64 = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64');

/** What newer models sign: the version of the envelope stands before it, and what is sealed is longer. */
const versioned = (version: number) =>
  base64(Buffer.concat([Buffer.from([8, version, 0x12, 0xac, 0x02]), formless(300), Buffer.from([0x18, 1])]));

const carried = carry({ origin: 'gemini', signature: OF_ANTHROPIC }) ?? '';

describe('Claude', () => {
  it.each([
    ['of Anthropic', OF_ANTHROPIC],
    ['of Bedrock', OF_BEDROCK],
    ['twice in base64', base64(OF_ANTHROPIC)],
    ['behind a name', `claude#${OF_ANTHROPIC}`],
    ['of newer models', versioned(2)],
    ['of the newest', versioned(4)],
    ['of the newest, twice in base64', base64(versioned(4))],
    ['with a field of fixed length', base64(Buffer.from([0x0d, 1, 2, 3, 4, 0x11, 1, 2, 3, 4, 5, 6, 7, 8]))],
  ])('is given a proof of Anthropic’s form as it came: %s', (_, signature) => {
    expect(proofFor(CLAUDE, signature)).toBe(signature);
  });

  it.each([
    ['none', ''],
    ['the id of an answer', '7c1f5a8e-5a0e-4d8b-9d55-3d1c1f6b8d9a'],
    ['a digest', createHash('sha256').update('a').digest('hex')],
    ['a digest in capitals', createHash('sha256').update('b').digest('hex').toUpperCase()],
    ['bytes without a form', base64(formless(3255))],
    ['more of them', base64(formless(9709))],
    ['one that was cut', OF_ANTHROPIC.slice(0, 200)],
    ['a proof of another wire', carried],
    ['words', 'skip the check of this'],
    ['one that is longer than any', base64(Buffer.alloc(limits.carriedProofChars, Buffer.from([8, 1])))],
  ])('is given no other: %s', (_, signature) => {
    expect(proofFor(CLAUDE, signature)).toBeUndefined();
  });
});

it('nobody else’s can be told from one another: each goes back as it came', () => {
  for (const signature of ['7c1f5a8e-5a0e-4d8b-9d55-3d1c1f6b8d9a', 'c5a0'.repeat(16), OF_ANTHROPIC]) {
    for (const reader of [WANTING, ANOTHER]) expect(proofFor(reader, signature)).toBe(signature);
  }
});

it('a thought without a proof of this wire goes to those alone who want it', () => {
  for (const signature of ['', carried]) {
    expect(proofFor(WANTING, signature)).toBe('');
    expect(proofFor(ANOTHER, signature)).toBeUndefined();
  }
});

it('a part of another wire has none of this one', () => {
  const part = { type: 'thinking', text: 'hm', signature: OF_ANTHROPIC } as const;
  for (const origin of ['anthropic-messages', 'bedrock-converse'] as const)
    expect(proofOf({ ...part, origin }, CLAUDE)).toBe(OF_ANTHROPIC);
  expect(proofOf({ ...part, origin: 'gemini' }, CLAUDE)).toBeUndefined();
  expect(proofOf({ ...part, origin: 'gemini' }, WANTING)).toBe('');
});
