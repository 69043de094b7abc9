/** An epay gateway in a process of its own, and what a test tells it. */
import { join } from 'node:path';
import { EPAY } from './epay-wire.ts';

export interface CallbackAnswer {
  status: number;
  text: string;
}

export interface EpayServer {
  base: string;
  /** What the browser does with the form that the site answers. */
  submit(url: string, fields: Record<string, string>): Promise<string>;
  /** From now on it answers queries of this order as paid, with this amount. */
  pay(tradeNo: string, money?: string): Promise<void>;
  /** Has it call back, and answers what it was answered. */
  tell(tradeNo: string, how?: object): Promise<CallbackAnswer[]>;
  /** When its cashier calls back, seen from the payer's return. */
  mode(mode: 'before' | 'after' | 'twice' | 'never', delayMs?: number): Promise<void>;
  close(): Promise<void>;
}

/** Lines that a child prints, the first of which is its port. */
export async function portOf(stream: ReadableStream<Uint8Array>): Promise<number> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('\n')) return Number(text.trim());
  }
  throw new Error('the payment server ended before it listened');
}

// A test run that is ended leaves no server behind.
const running = new Set<Bun.Subprocess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export async function startProcess(file: string): Promise<{ base: string; close(): Promise<void> }> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, file)], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  running.add(child);
  const base = `http://127.0.0.1:${await portOf(child.stdout)}`;
  return {
    base,
    async close() {
      running.delete(child);
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

export async function startEpay(): Promise<EpayServer> {
  const { base, close } = await startProcess('epay-process.ts');
  const control = async (what: string, body: object) => {
    const answer = await fetch(`${base}/control/${what}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`the epay server answers ${answer.status} to ${what}`);
    return answer.json();
  };
  return {
    base,
    close,
    async submit(url, fields) {
      const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
      return answer.text();
    },
    async pay(tradeNo, money) {
      const { known } = await control('pay', { out_trade_no: tradeNo, money });
      if (!known) throw new Error(`the epay server does not know ${tradeNo}`);
    },
    tell: (tradeNo, how = {}) => control('tell', { out_trade_no: tradeNo, ...how }),
    async mode(mode, delayMs = 0) {
      await control('mode', { mode, delayMs });
    },
  };
}

/** The options by which a site is paid through a gateway. */
export const epayOptions = ({ base }: Pick<EpayServer, 'base'>): Record<string, string> => ({
  PayAddress: base,
  EpayId: EPAY.pid,
  EpayKey: EPAY.key,
});
