/** Stripe in a process of its own, and what a test tells it. */
import { startProcess } from './epay-server.ts';
import { type PageMode, STRIPE, type StripeSession } from './stripe-wire.ts';

export interface StripeServer {
  base: string;
  /** The session of an order is paid from now on. */
  pay(tradeNo: string): Promise<StripeSession>;
  sessionOf(tradeNo: string): Promise<StripeSession>;
  /** The page of an order is closed from now on, and nobody is told. */
  expire(tradeNo: string): Promise<void>;
  /** Signs an event of the order's session and sends it; answers the statuses it was answered with. */
  send(tradeNo: string, type: string, to: string, how?: object): Promise<number[]>;
  /** Where the events of its own page go, when, and how long after the payer has paid. */
  webhook(to: string, mode: PageMode, delayMs?: number): Promise<void>;
  calls(): Promise<{ method: string; path: string; key: string | null }[]>;
  close(): Promise<void>;
}

export async function startStripe(): Promise<StripeServer> {
  const { base, close } = await startProcess('stripe-process.ts');
  const control = async (what: string, body: object) => {
    const answer = await fetch(`${base}/control/${what}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`the Stripe server answers ${answer.status} to ${what}`);
    return answer.json();
  };
  return {
    base,
    close,
    async pay(tradeNo) {
      const session = await control('pay', { trade_no: tradeNo });
      if (!session) throw new Error(`the Stripe server does not know ${tradeNo}`);
      return session;
    },
    sessionOf: (tradeNo) => control('session', { trade_no: tradeNo }),
    async expire(tradeNo) {
      const session = await control('expire', { trade_no: tradeNo });
      if (!session) throw new Error(`the Stripe server does not know ${tradeNo}`);
    },
    send: (tradeNo, type, to, how = {}) => control('send', { trade_no: tradeNo, type, to, ...how }),
    async webhook(to, mode, delayMs = 0) {
      await control('webhook', { to, mode, delayMs });
    },
    calls: () => control('calls', {}),
  };
}

/** The options by which a site is paid through Stripe; its STRIPE_API_BASE is the server's `base`. */
export const stripeOptions: Record<string, string> = {
  StripeSecretKey: STRIPE.key,
  StripeWebhookSecret: STRIPE.webhookSecret,
};
