import { describe, expect, it } from 'bun:test';
import { giveUp } from '../platform/given-up.ts';
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

it('closes the connection of a body that was given up, and of no other that is refused with 503', () => {
  const post = () =>
    new Request('http://localhost/', { method: 'POST', headers: { 'content-length': '5' }, body: 'a' });
  const closing = async (request: Request) => {
    await request.text();
    return completed(request, new Response(null, { status: 503 }), false).headers.get('connection');
  };
  const givenUp = post();
  giveUp(givenUp);
  return expect(Promise.all([closing(givenUp), closing(post())])).resolves.toEqual(['close', null]);
});
