/** A supplier that lists models and tells balances, and notes who asked it what. */
export interface SupplierServer {
  base: string;
  /** `GET /v1/models`, with the key that came along. */
  readonly asked: { path: string; key: string }[];
  /** Answers instead of the usual, while it is set. */
  answer: ((request: Request) => Response | Promise<Response>) | null;
  models: string[];
  /** US dollars. */
  balance: number;
  close(): Promise<void>;
}

export function startSupplier(): SupplierServer {
  const asked: SupplierServer['asked'] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    fetch(request) {
      const { pathname } = new URL(request.url);
      const { headers } = request;
      const key = headers.get('x-api-key') ?? headers.get('authorization')?.replace(/^Bearer /, '') ?? '';
      asked.push({ path: `${request.method} ${pathname}`, key });
      if (supplier.answer) return supplier.answer(request);
      if (pathname.endsWith('/models')) {
        return Response.json({
          object: 'list',
          data: supplier.models.map((id) => ({ id, object: 'model' })),
        });
      }
      // DeepSeek's wire.
      const total_balance = String(supplier.balance);
      return Response.json({ is_available: true, balance_infos: [{ currency: 'USD', total_balance }] });
    },
  });
  const supplier: SupplierServer = {
    base: `http://127.0.0.1:${server.port}`,
    asked,
    answer: null,
    models: ['m-2', 'm-1', 'm-2'],
    balance: 12.5,
    close: () => server.stop(true),
  };
  return supplier;
}
