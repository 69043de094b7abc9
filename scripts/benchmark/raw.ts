/** The least that a relay can do on this runtime: Bun.serve and fetch, nothing between. Prints its port. */
const [target = ''] = process.argv.slice(2);

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const answer = await fetch(target + new URL(request.url).pathname, {
      method: request.method,
      headers: {
        'content-type': 'application/json',
        authorization: request.headers.get('authorization') ?? '',
      },
      body: await request.arrayBuffer(),
    });
    const type = answer.headers.get('content-type') ?? '';
    return new Response(answer.body, { status: answer.status, headers: { 'content-type': type } });
  },
});
console.log(server.port);
