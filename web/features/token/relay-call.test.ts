import { describe, expect, it } from 'bun:test';
import { readLine } from './relay-call.ts';

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
