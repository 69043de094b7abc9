import { describe, expect, it } from 'bun:test';
import { readLine, withParts } from './relay-call.ts';

describe('the lines of a streamed answer', () => {
  it('are data, the cost, or nothing', () => {
    expect(
      readLine('data: {"choices":[{"delta":{"content":"po"}}]}').chunk?.choices?.[0]?.delta?.content,
    ).toBe('po');
    expect(readLine('data:{"model":"gpt-4o"}').chunk?.model).toBe('gpt-4o');
    expect(readLine(': cost=1234')).toEqual({ cost: 1234 });
    for (const line of ['', ': keep-alive', 'data: [DONE]', 'event: message'])
      expect(readLine(line)).toEqual({});
  });
});

describe('the calls of tools in an answer', () => {
  it('are put together from their parts, each at its place', () => {
    const parts = [
      [{ index: 0, function: { name: 'weather', arguments: '' } }],
      [
        { index: 0, function: { arguments: '{"city":' } },
        { index: 1, function: { name: 'time', arguments: '{}' } },
      ],
      [{ index: 0, function: { arguments: '"Bern"}' } }],
    ];
    expect(parts.reduce(withParts, [])).toEqual([
      { name: 'weather', arguments: '{"city":"Bern"}' },
      { name: 'time', arguments: '{}' },
    ]);
  });

  it('stand in the order of a whole answer', () => {
    const whole = [{ function: { name: 'a', arguments: '1' } }, { function: { name: 'b', arguments: '2' } }];
    expect(withParts([], whole)).toEqual([
      { name: 'a', arguments: '1' },
      { name: 'b', arguments: '2' },
    ]);
  });
});
