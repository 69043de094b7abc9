/** A service that sends text messages, as operators name one by an address: it keeps what it is asked to send. */
import { sha256 } from '../../src/platform/secrets.ts';
import type { TestApi } from './api.ts';

export interface TextMessage {
  phone: string;
  code: string;
}

export interface SmsServer {
  readonly messages: TextMessage[];
  /** For the option `sms.url`. */
  readonly template: string;
  /** While true, it refuses everything. */
  isBroken: boolean;
  /** The newest code that went to the number. Throws when none did. */
  codeOf(phone: string): string;
  close(): Promise<void>;
}

export function startSmsServer(): SmsServer {
  const messages: TextMessage[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      if (service.isBroken) return new Response('no credit', { status: 402 });
      const { searchParams } = new URL(request.url);
      messages.push({ phone: searchParams.get('to') ?? '', code: searchParams.get('code') ?? '' });
      return new Response('sent');
    },
  });
  const service: SmsServer = {
    messages,
    template: `http://127.0.0.1:${server.port}/send?to={phone}&code={code}`,
    isBroken: false,
    codeOf(phone) {
      const message = messages.findLast((each) => each.phone === phone);
      if (!message) throw new Error(`no message went to ${phone}`);
      return message.code;
    },
    close: () => server.stop(true),
  };
  return service;
}

/** As if a minute had passed since `ip` asked for the last code to the number. */
export async function forgetMinute(api: TestApi, phone: string, ip = '127.0.0.1'): Promise<void> {
  for (const whose of ['', `:${ip}`]) {
    await api.deps.limiter.clear(`message:phone:${sha256(phone)}${whose}:60`);
  }
}

/** As if a day had passed since anybody asked for a code from `ip`. */
export const forgetDay = (api: TestApi, ip = '127.0.0.1'): Promise<void> =>
  api.deps.limiter.clear(`message:phone:network:${ip}`);
