/**
 * A provider that answers at once: 1,000 bytes of JSON, or a stream of frames at a steady pace. `/hold` lets streams say
 * everything but their end, and wait; `/held` tells how many wait, `/release` ends them. Prints its port.
 */
import { CHUNK_EVERY_MS, CHUNKS, MODEL } from './workload.ts';

const usage = { prompt_tokens: 150, completion_tokens: CHUNKS, total_tokens: 150 + CHUNKS };
const head = { id: 'chatcmpl-bench', created: 1_700_000_000, model: MODEL };
const message = { role: 'assistant', content: 'Light scatters more the shorter its wave. '.repeat(16) };
const plain = JSON.stringify({
  ...head,
  object: 'chat.completion',
  choices: [{ index: 0, message, finish_reason: 'stop' }],
  usage,
});

const frame = (value: object) =>
  Buffer.from(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...value })}\n\n`);
const content = frame({ choices: [{ index: 0, delta: { content: ' word' }, finish_reason: null }] });
const end = Buffer.concat([
  frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  frame({ choices: [], usage }),
  Buffer.from('data: [DONE]\n\n'),
]);

let isHolding = false;
const held = new Set<() => void>();

/** Frames are due at fixed times from the start, so that a late timer does not make the stream longer. */
function paced(): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setTimeout>;
  let finish = () => {};
  return new ReadableStream({
    start(controller) {
      const startedAt = performance.now();
      let sent = 0;
      finish = () => {
        controller.enqueue(end);
        controller.close();
      };
      const send = () => {
        if (sent === CHUNKS) {
          if (isHolding) held.add(finish);
          else finish();
          return;
        }
        controller.enqueue(content);
        sent++;
        timer = setTimeout(send, Math.max(startedAt + sent * CHUNK_EVERY_MS - performance.now(), 0));
      };
      send();
    },
    cancel() {
      clearTimeout(timer);
      held.delete(finish);
    },
  });
}

function release(): void {
  isHolding = false;
  for (const finish of held) finish();
  held.clear();
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  routes: {
    '/hold': () => {
      isHolding = true;
      return new Response();
    },
    '/held': () => new Response(String(held.size)),
    '/release': () => {
      release();
      return new Response();
    },
  },
  async fetch(request) {
    const body = await request.text();
    if (body.includes('"stream":true')) {
      return new Response(paced(), { headers: { 'content-type': 'text/event-stream' } });
    }
    return new Response(plain, { headers: { 'content-type': 'application/json' } });
  },
});
console.log(server.port);
