import { expect, it } from 'bun:test';
import { noUsage } from '../../core/usage.ts';
import { anthropicMessages } from '../../dialects/anthropic-messages/dialect.ts';
import { gemini } from '../../dialects/gemini/dialect.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { samePassage } from '../../dialects/passage.ts';
import { usageAtEnd } from './usage-at-end.ts';

const chat = samePassage(openaiChat);
const told = { prompt_tokens: 50, completion_tokens: 7, total_tokens: 57 };
const USED = { ...noUsage(), input: 50, output: 7 };
const tailOf = (answer: unknown) => JSON.stringify(answer).slice(1);

it('reads what each wire tells at its end', () => {
  expect(usageAtEnd(tailOf({ choices: [{ index: 0 }], usage: told }), chat)).toEqual(USED);
  expect(
    usageAtEnd(
      tailOf({ content: [], usage: { input_tokens: 50, output_tokens: 7 } }),
      samePassage(anthropicMessages),
    ),
  ).toEqual(USED);
  const usageMetadata = { promptTokenCount: 50, candidatesTokenCount: 7, totalTokenCount: 57 };
  expect(
    usageAtEnd(tailOf({ candidates: [], usageMetadata, modelVersion: 'g' }), samePassage(gemini)),
  ).toEqual(USED);
});

it('does not take what an answer says for what it took', () => {
  const forged = { usage: { ...told, completion_tokens: 1 } };
  const said = { content: JSON.stringify(forged), arguments: forged };
  expect(usageAtEnd(tailOf({ choices: [said] }), chat)).toBeNull();
  expect(usageAtEnd(tailOf({ usage: told, choices: [said] }), chat)).toEqual(USED);
  expect(usageAtEnd(tailOf({ usage: null, choices: [] }), chat)).toBeNull();
  expect(usageAtEnd('', chat)).toBeNull();
  expect(usageAtEnd('"usage": {', chat)).toBeNull();
});
