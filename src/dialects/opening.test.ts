import { describe, expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { openingOf } from './opening.ts';

const text = (said: string, more: JsonObject = {}): JsonObject => ({ type: 'text', text: said, ...more });

/** A conversation on each wire: how it begins, and what comes to it. */
const WIRES: Readonly<Record<string, { begins: JsonObject; goesOn: JsonObject; another: JsonObject }>> = {
  'Chat Completions': {
    begins: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
    },
    goesOn: {
      messages: [
        { role: 'system', content: [text('Be brief.')] },
        { role: 'user', content: [text('Hello')] },
        { role: 'assistant', content: 'Hi' },
        { role: 'user', content: 'More' },
      ],
    },
    another: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hallo' },
      ],
    },
  },
  Responses: {
    begins: { instructions: 'Be brief.', input: 'Hello' },
    goesOn: {
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'x' },
      ],
    },
    another: { instructions: 'Be long.', input: 'Hello' },
  },
  Messages: {
    begins: {
      system: 'Be brief.',
      messages: [{ role: 'user', content: [text('Hello', { cache_control: { type: 'ephemeral' } })] }],
    },
    goesOn: {
      system: [text('Be brief.', { cache_control: { type: 'ephemeral' } })],
      messages: [
        { role: 'user', content: [text('Hello')] },
        { role: 'assistant', content: 'Hi' },
        { role: 'user', content: [text('More', { cache_control: { type: 'ephemeral' } })] },
      ],
    },
    another: { system: 'Be brief.', messages: [{ role: 'user', content: 'Hallo' }] },
  },
  Gemini: {
    begins: {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: { role: 'user', parts: [{ text: 'Hello' }] },
    },
    goesOn: {
      systemInstruction: { role: 'user', parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Hello' }] },
        { role: 'model', parts: [{ text: 'Hi' }] },
        { role: 'user', parts: [{ text: 'More' }] },
      ],
    },
    another: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  },
};

describe.each(Object.entries(WIRES))('a conversation of %s', (_wire, { begins, goesOn, another }) => {
  it('begins with the same at each of its turns, and with something else than others', () => {
    expect(openingOf(begins)).toContain('Hello');
    expect(openingOf(goesOn)).toBe(openingOf(begins));
    expect(openingOf(another)).not.toBe(openingOf(begins));
  });
});

it('is told by no more than tells conversations apart, however much is said in one part or in many', () => {
  const long = 'x'.repeat(limits.openingChars);
  const of = (content: JsonObject[string]) =>
    openingOf({ system: long, messages: [{ role: 'user', content }] });
  expect(of(`${long}y`)).toBe(of(`${long}z`));
  expect(of(Array.from({ length: 10 }, () => text(long)))).toBe(of(long));
  expect(of('y')).not.toBe(of('z'));
});

it('is nothing of a body that says nothing', () => {
  expect([{}, { messages: [] }, { input: null }, { messages: [{ role: 'system' }] }].map(openingOf)).toEqual(
    Array(4).fill('\n'),
  );
});
