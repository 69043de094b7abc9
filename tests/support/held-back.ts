/** A call whose body comes when the test says so. */
import { isObject, parseJson } from '../../src/core/json.ts';
import type { Client } from './api.ts';

/** The call once it has been let in and waits for its body; `sent` sends that, and tells the code of the refusal, or `done`. */
export async function heldBack(client: Client, method: string, path: string, body: unknown) {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        asked.resolve();
        await gate.promise;
        controller.enqueue(new TextEncoder().encode(JSON.stringify(body)));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const headers = new Headers({ host: 'localhost', 'content-type': 'application/json', ...client.headers });
  if (client.userId !== null) headers.set('new-api-user', String(client.userId));
  headers.set('cookie', [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; '));
  const answer = client.handle(new Request(`http://localhost${path}`, { method, headers, body: stream }));
  // Nobody asks for a body before he knows who sends it.
  await asked.promise;
  return {
    async sent(): Promise<unknown> {
      gate.resolve();
      const told = parseJson(await (await answer).text());
      if (!isObject(told)) return told;
      return (isObject(told.error) ? told.error.code : told.code) ?? 'done';
    },
  };
}
