/** A sheet as an answer, sent as it is read. */
import { AsyncResource } from 'node:async_hooks';

/** Its first page is read before the answer begins, so that a refusal is still one. */
export async function csvAnswer(
  filename: string,
  pages: AsyncGenerator<string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const encoder = new TextEncoder();
  // Whoever pulls, it is read on behalf of who asked.
  const next = AsyncResource.bind(() => pages.next());
  let page = await next();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (page.done) return controller.close();
      controller.enqueue(encoder.encode(page.value));
      page = await next();
    },
    async cancel() {
      await pages.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${filename}"`,
      'cache-control': 'no-store',
      ...headers,
    },
  });
}
