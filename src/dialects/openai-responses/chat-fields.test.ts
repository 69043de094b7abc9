import { expect, it } from 'bun:test';
import type { JsonObject } from '../../core/json.ts';
import { inOwnWords } from './chat-fields.ts';

it.each<[of: string, fields: JsonObject, body: JsonObject, own: JsonObject, leftOut: string[]]>([
  ['nothing', {}, { text: { verbosity: 'low' } }, {}, []],
  ['what both wires say', { temperature: 1, user: 'u' }, {}, { temperature: 1, user: 'u' }, []],
  [
    'words of Responses',
    { text: { verbosity: 'low' }, include: ['x'] },
    {},
    { text: { verbosity: 'low' }, include: ['x'] },
    [],
  ],
  [
    'an effort, beside what the caller has',
    { reasoning_effort: 'low' },
    { reasoning: { effort: 'high', summary: 'auto' } },
    { reasoning: { effort: 'low', summary: 'auto' } },
    [],
  ],
  [
    'both wires',
    { verbosity: 'low', text: { format: { type: 'json_object' } } },
    { text: { format: { type: 'text' }, verbosity: 'high' } },
    { text: { format: { type: 'json_object' }, verbosity: 'low' } },
    [],
  ],
  [
    'two of one object',
    { verbosity: 'low', response_format: { type: 'json_object' } },
    {},
    { text: { format: { type: 'json_object' }, verbosity: 'low' } },
    [],
  ],
  [
    'no format',
    { response_format: { type: 'text' } },
    { text: { format: { type: 'json_object' } } },
    { text: { format: { type: 'text' } } },
    [],
  ],
  ['a format that nobody knows', { response_format: 'grammar' }, {}, {}, ['response_format']],
  [
    'tools, in the shape of either wire',
    {
      tools: [
        { type: 'function', function: { name: 'f' } },
        { type: 'function', name: 'g' },
        { type: 'web_search' },
      ],
      tool_choice: { type: 'function', function: { name: 'f' } },
    },
    {},
    {
      tools: [
        { type: 'function', name: 'f', strict: false },
        { type: 'function', name: 'g' },
        { type: 'web_search' },
      ],
      tool_choice: { type: 'function', name: 'f' },
    },
    [],
  ],
  ['what Chat alone knows', { seed: 1, logit_bias: {}, top_k: 1 }, {}, { top_k: 1 }, ['logit_bias', 'seed']],
])('of a channel for Chat, %s', (_of, fields, body, own, leftOut) => {
  expect(inOwnWords(fields, body)).toEqual({ fields: own, leftOut });
});
