/** A server like that of the human check's maker, on the loopback: it knows one secret and the tokens that it gave. */

export const HUMAN_SECRET = 'human-secret';

export interface Given {
  /** Told with the verdict; nothing of either when absent. */
  hostname?: string;
  action?: string;
}

export interface HumanCheckServer {
  url: string;
  /** What the product sent, field by field. */
  asked: Record<string, string>[];
  /** A token that is good once. */
  give(about?: Given): string;
  /** From now on it answers so; undefined: as it should. */
  answerWith(answer: (() => Response | Promise<Response>) | undefined): void;
  close(): Promise<void>;
}

export function startHumanCheckServer(): HumanCheckServer {
  const given = new Map<string, Given>();
  const asked: Record<string, string>[] = [];
  let special: (() => Response | Promise<Response>) | undefined;
  let count = 0;
  const verdict = ({ secret = '', response = '' }: Record<string, string>) => {
    if (secret !== HUMAN_SECRET) return { success: false, 'error-codes': ['invalid-input-secret'] };
    const about = given.get(response);
    if (!about) return { success: false, 'error-codes': ['invalid-input-response'] };
    given.delete(response);
    return { success: true, challenge_ts: new Date().toISOString(), 'error-codes': [], ...about };
  };
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const fields = Object.fromEntries(new URLSearchParams(await request.text()));
      asked.push(fields);
      return special ? special() : Response.json(verdict(fields));
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/siteverify`,
    asked,
    give(about = {}) {
      const token = `token-${++count}`;
      given.set(token, about);
      return token;
    },
    answerWith(answer) {
      special = answer;
    },
    close: () => server.stop(true),
  };
}

/** The options of a site that checks at `server`. */
export const humanCheckOptions = (server: HumanCheckServer) => ({
  TurnstileSiteKey: 'site-key',
  TurnstileSecretKey: HUMAN_SECRET,
  TurnstileVerifyURL: server.url,
  TurnstileCheckEnabled: 'true',
});
