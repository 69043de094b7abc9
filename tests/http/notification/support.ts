/** Where notifications arrive in tests: a web server and a mail server of the file's own, empty before each test. */
import { afterAll, afterEach, beforeAll } from 'bun:test';
import { parseCidrs } from '../../../src/env.ts';
import type { Resolve } from '../../../src/platform/names.ts';
import { createOutgoing } from '../../../src/platform/outgoing.ts';
import type { TestApi } from '../../support/api.ts';
import { type HttpsServer, startHttpsServer } from '../../support/https-server.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';

export interface Receivers {
  readonly hook: HttpsServer;
  readonly mail: MailServer;
  /** Sends what `api` sends to them; the loopback stands for the public network, because nothing else can be reached. */
  serve(api: TestApi, resolve: Resolve): Promise<void>;
}

export function startReceivers(): Receivers {
  let hook: HttpsServer;
  let mail: MailServer;
  beforeAll(async () => {
    [hook, mail] = await Promise.all([startHttpsServer('hook.test'), startMailServer()]);
  });
  afterAll(async () => {
    await hook.close();
    await mail.close();
  });
  afterEach(() => {
    hook.received.length = 0;
    hook.next.length = 0;
  });
  return {
    get hook() {
      return hook;
    },
    get mail() {
      return mail;
    },
    async serve(api, resolve) {
      api.deps.outgoing = createOutgoing(parseCidrs('127.0.0.0/8'), resolve, hook.ca, () => [[1, 65_535]]);
      await api.deps.options.set({ SMTPServer: '127.0.0.1', SMTPPort: String(mail.port) });
    },
  };
}
