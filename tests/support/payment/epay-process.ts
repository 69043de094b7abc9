/**
 * An epay gateway as a process of its own: it takes signed forms, keeps orders, shows a cashier, calls back as it is told
 * to, and answers queries. It prints its port. What is below `/control` is for tests.
 */
import { EPAY, epayPaid, epaySignature, epaySigned } from './epay-wire.ts';

interface Order {
  fields: Record<string, string>;
  money: string;
  paid: boolean;
}

/** When the cashier's callback goes, seen from the payer's return. */
type Mode = 'before' | 'after' | 'twice' | 'never';

interface Told {
  out_trade_no: string;
  /** How many callbacks, all at once. */
  times?: number;
  delayMs?: number;
  method?: 'GET' | 'POST';
  /** Fields of the callback that are other than the order's. */
  over?: Record<string, string>;
  /** Signs with another key, or sends this in the place of a signature. */
  key?: string;
  sign?: string;
  /** Calls again until it reads `success`, at most so often. */
  until?: number;
}

const orders = new Map<string, Order>();
let mode: Mode = 'before';
let delayMs = 0;

async function callBack(order: Order, told: Told): Promise<{ status: number; text: string }> {
  const { method = 'GET', over, key, sign } = told;
  const plain = epayPaid(
    { tradeNo: order.fields.out_trade_no ?? '', money: order.money },
    { type: order.fields.type ?? '', ...over },
  );
  const fields = { ...epaySigned(plain, key), ...(sign !== undefined && { sign }) };
  const address = order.fields.notify_url ?? '';
  const sent = new URLSearchParams(fields);
  try {
    const answer = await (method === 'GET'
      ? fetch(`${address}?${sent}`)
      : fetch(address, { method, body: sent }));
    return { status: answer.status, text: await answer.text() };
  } catch {
    return { status: 0, text: '' };
  }
}

async function tell(told: Told): Promise<{ status: number; text: string }[]> {
  const order = orders.get(told.out_trade_no);
  if (!order) return [];
  if (told.delayMs) await Bun.sleep(told.delayMs);
  const answers = await Promise.all(Array.from({ length: told.times ?? 1 }, () => callBack(order, told)));
  for (let more = told.until ?? 0; more > 0 && answers.at(-1)?.text !== 'success'; more--) {
    await Bun.sleep(100);
    answers.push(await callBack(order, told));
  }
  return answers;
}

const page = (body: string) =>
  new Response(`<!doctype html><html lang="en"><title>Cashier</title><h1>Cashier</h1>${body}</html>`, {
    headers: { 'content-type': 'text/html; charset=utf-8' },
  });

function submit(fields: Record<string, string>): Response {
  const { out_trade_no: tradeNo = '', money = '' } = fields;
  if (fields.sign !== epaySignature(fields, EPAY.key)) return page('<p>sign error</p>');
  if (!orders.has(tradeNo)) orders.set(tradeNo, { fields, money, paid: false });
  return page(`<p>${money}</p><form method="post" action="/cashier">
    <input type="hidden" name="out_trade_no" value="${tradeNo}"><button>Pay</button></form>`);
}

async function pay(tradeNo: string): Promise<Response> {
  const order = orders.get(tradeNo);
  if (!order) return new Response('no such order', { status: 404 });
  order.paid = true;
  const told = { out_trade_no: tradeNo, times: mode === 'twice' ? 2 : 1, delayMs, until: 20 };
  if (mode === 'before' || mode === 'twice') await tell(told);
  if (mode === 'after') void tell(told);
  const back = new URL(order.fields.return_url ?? '');
  for (const [name, value] of Object.entries(epaySigned(epayPaid({ tradeNo, money: order.money })))) {
    back.searchParams.set(name, value);
  }
  return Response.redirect(back.href, 302);
}

function query({ searchParams }: URL): Response {
  const order = orders.get(searchParams.get('out_trade_no') ?? '');
  if (searchParams.get('pid') !== EPAY.pid || searchParams.get('key') !== EPAY.key || !order) {
    return Response.json({ code: -1, msg: 'no such order' });
  }
  const { out_trade_no: tradeNo = '', type = '' } = order.fields;
  const { trade_no, name } = epayPaid({ tradeNo, money: order.money });
  return Response.json({
    code: 1,
    msg: 'ok',
    trade_no,
    out_trade_no: tradeNo,
    type,
    pid: Number(EPAY.pid),
    name,
    money: order.money,
    status: order.paid ? 1 : 0,
  });
}

const formOf = async (request: Request): Promise<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams(await request.text()));

async function control(path: string, request: Request): Promise<Response> {
  const told = await request.json();
  const order = orders.get(told.out_trade_no);
  switch (path) {
    case '/control/mode':
      mode = told.mode;
      delayMs = told.delayMs ?? 0;
      return Response.json({});
    case '/control/pay':
      if (order) Object.assign(order, { paid: true, money: told.money ?? order.money });
      return Response.json({ known: order !== undefined });
    case '/control/tell':
      return Response.json(await tell(told));
    default:
      return new Response('', { status: 404 });
  }
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 120,
  async fetch(request) {
    const url = new URL(request.url);
    switch (url.pathname) {
      case '/submit.php':
        return submit(await formOf(request));
      case '/cashier':
        return pay((await formOf(request)).out_trade_no ?? '');
      case '/api.php':
        return query(url);
      // Browsers ask for it by themselves, and complain when it is not there.
      case '/favicon.ico':
        return new Response(null, { status: 204 });
      default:
        return control(url.pathname, request);
    }
  },
});
console.log(server.port);
