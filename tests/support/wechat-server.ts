/** A real WeChat server on the loopback: it knows which codes its public account has given to whom. */

export const WECHAT_TOKEN = 'wechat-token-of-the-test';

export interface WeChatServer {
  base: string;
  /** Code → who was given it. A code works once. */
  codes: Map<string, string>;
  /** Paths with their queries, as they were asked for. */
  asked: string[];
  /** What the next calls are answered with, instead of the truth. */
  next: Response[];
  close(): Promise<void>;
}

export function startWeChatServer(): WeChatServer {
  const codes = new Map<string, string>();
  const asked: string[] = [];
  const next: Response[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const url = new URL(request.url);
      asked.push(url.pathname + url.search);
      const answer = next.shift();
      if (answer) return answer;
      if (url.pathname === '/qr.svg') {
        const square =
          '<rect width="9" height="9"/><rect x="16" width="9" height="9"/><rect y="16" width="9" height="9"/>';
        return new Response(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 29 29">${square}</svg>`, {
          headers: { 'content-type': 'image/svg+xml' },
        });
      }
      if (url.pathname !== '/api/wechat/user') return new Response('', { status: 404 });
      if (request.headers.get('authorization') !== WECHAT_TOKEN) {
        return Response.json({ success: false, message: 'no' }, { status: 401 });
      }
      const code = url.searchParams.get('code') ?? '';
      const openId = codes.get(code) ?? '';
      codes.delete(code);
      // A code that nobody was given is no failure of the call there.
      return Response.json({ success: true, message: '', data: openId });
    },
  });
  return {
    base: `http://127.0.0.1:${server.port}`,
    codes,
    asked,
    next,
    close: () => server.stop(true),
  };
}
