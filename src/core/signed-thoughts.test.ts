import { expect, it } from 'bun:test';
import { signedTokens } from './signed-thoughts.ts';

it.each([
  ['gemini-3.1-pro-preview', 3_183],
  ['gemini-3.8-flash', 3_183],
  ['google/gemini-4-argon', 3_183],
  ['gemini-pro-latest', 3_183],
  // Whatever came back to it, its prompts were told as long as without (googleapis/python-genai#1129).
  ['gemini-2.5-pro', 0],
  ['gemini-pro', 0],
  // They keep whole pictures there.
  ['gemini-3-pro-image', 0],
  ['gemini-nano-banana-2.1', 0],
  ['claude-opus-5', 0],
])('a recorded signature of 2,688 thoughts is held by %s as %i tokens', (model, tokens) => {
  const bytes = 9_549;
  expect(signedTokens(model, bytes)).toBe(tokens);
  expect(signedTokens(model)).toBe(0);
});
