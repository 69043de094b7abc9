import { describe, expect, it } from 'bun:test';
import { completed } from './answer-rules.ts';

const get = new Request('http://localhost/');
const answer = (type: string) => new Response('', { headers: { 'content-type': type } });

describe('every answer', () => {
  it.each(['application/json', 'text/html; charset=utf-8', 'text/event-stream', 'image/png'])(
    'of %s forbids to guess its type, and under https to go back',
    (type) => {
      const plain = completed(get, answer(type), false).headers;
      expect(plain.get('x-content-type-options')).toBe('nosniff');
      expect(plain.get('strict-transport-security')).toBeNull();
      expect(completed(get, answer(type), true).headers.get('strict-transport-security')).toMatch(
        /max-age=\d{8}/,
      );
    },
  );

  it('that is a page has no hands on devices and other windows', () => {
    const page = completed(get, answer('text/html; charset=utf-8'), false).headers;
    expect(page.get('permissions-policy')).toContain('camera=()');
    expect(page.get('cross-origin-opener-policy')).toBe('same-origin-allow-popups');
    expect(completed(get, answer('application/json'), false).headers.get('permissions-policy')).toBeNull();
  });
});
