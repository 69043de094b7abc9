/** Callers of a site on which everything happens at once, and what each of them was told of his calls. */
import { type JsonObject, parseObject } from '../../src/core/json.ts';
import { type Dice, deckOf } from '../support/dice.ts';
import {
  type Account,
  CUT,
  EMBEDDING,
  FAILING,
  FAILING_LATE,
  type Host,
  type MixedSite,
  MODEL,
  RESET,
  SLOW,
  TOOLS,
  UNTOLD,
} from './mixed-site.ts';

/** At once; two processors are busy with them, and still start a process in some seconds. */
const CALLERS = 24;
const REST_MS = 100;
/** Of a hundred calls, those of one account: its row is never still. */
const HOT_SHARE = 30;

/** What a caller asks for. */
interface Kind {
  /** Of a hundred calls. */
  share: number;
  path: string;
  body: JsonObject;
  /** Stands at the end of a whole stream. */
  end?: string;
  /** He goes when the first piece has come. */
  leaves?: boolean;
}

const CHAT = '/v1/chat/completions';
const MESSAGES = '/v1/messages';
const messages = [{ role: 'user', content: 'hi' }];
const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const tools = [{ type: 'function', function: { name: 'weather', parameters } }];

const plain = (share: number, model = MODEL, more: JsonObject = {}): Kind => ({
  share,
  path: CHAT,
  body: { model, messages, max_tokens: 64, ...more },
});
const stream = (share: number, model = MODEL, more: Partial<Kind> = {}): Kind => ({
  share,
  path: CHAT,
  body: { model, messages, stream: true },
  end: 'data: [DONE]',
  ...more,
});

export const PLAIN = plain(24);
const DECK = deckOf<Kind>([
  PLAIN,
  stream(24),
  { share: 6, path: MESSAGES, body: { model: MODEL, messages, max_tokens: 64 } },
  {
    share: 6,
    path: MESSAGES,
    body: { model: MODEL, messages, max_tokens: 64, stream: true },
    end: 'event: message_stop',
  },
  { share: 8, path: '/v1/embeddings', body: { model: EMBEDDING, input: 'hi' } },
  plain(6, TOOLS, { tools }),
  stream(6, SLOW),
  plain(3, UNTOLD),
  stream(3, UNTOLD),
  stream(5, SLOW, { leaves: true }),
  stream(3, CUT),
  stream(1, FAILING_LATE),
  plain(2, FAILING),
  plain(1, RESET),
  { share: 2, path: '/suno/submit/music', body: { prompt: 'rain' } },
]);

/** By what a call's id is known to be worth, of all that were heard of. */
export class Callers {
  begun = 0;
  /** Of answers that were seen to their end, what each is said to have cost. */
  readonly answered = new Map<string, number | null>();
  /** Refused, and not said to be charged. */
  readonly uncharged = new Set<string>();
  readonly refusals = new Map<number, number>();
  /** All whose headers came. */
  readonly heard = new Set<string>();
  left = 0;
  /** The answer had begun, and did not come to its end. */
  brokenOff = 0;
  /** They reached a process, and nothing came of them. */
  unheard = 0;
  /** Nobody listened. */
  unreached = 0;
  /** Of who had been stopped when he called, and was when he was answered. */
  readonly servedThough: string[] = [];

  constructor(
    readonly site: MixedSite,
    readonly dice: Dice,
  ) {}

  /** They call until it is over, each one call after the other. */
  async run(isOver: () => boolean): Promise<void> {
    const { site, dice } = this;
    const all = [...site.others, ...site.owners.map(({ account }) => account)];
    const caller = async () => {
      while (!isOver()) {
        const account = dice.below(100) < HOT_SHARE ? site.hot : dice.of(all);
        await this.call(dice.of(DECK), account, dice.of(site.hosts));
        await Bun.sleep(dice.below(REST_MS));
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
  }

  async call(kind: Kind, account: Account, host: Host): Promise<void> {
    const { stop } = account;
    const leaving = new AbortController();
    let id: string | null = null;
    this.begun++;
    try {
      const answer = await fetch(host.base + kind.path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${account.key}`,
          'x-include-cost': '1',
        },
        body: JSON.stringify(kind.body),
        signal: leaving.signal,
        // On a connection of another call that a death has closed, the client would send it a second time by itself.
        keepalive: false,
      });
      id = answer.headers.get('x-request-id');
      if (id !== null) this.heard.add(id);
      if (answer.ok && stop && account.stop === stop) this.servedThough.push(`${account.name} ${id}`);
      if (answer.ok && kind.leaves) {
        await answer.body?.getReader().read();
        leaving.abort();
        this.left++;
        return;
      }
      const text = await answer.text();
      if (!answer.ok) this.#note(id, answer);
      else if (id !== null && isWhole(kind, text)) this.answered.set(id, costOf(answer, text));
      else this.brokenOff++;
    } catch (error) {
      if (id !== null) this.brokenOff++;
      else if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') this.unreached++;
      else this.unheard++;
    }
  }

  #note(id: string | null, { status, headers }: Response): void {
    this.refusals.set(status, (this.refusals.get(status) ?? 0) + 1);
    // Who is charged for what he is not shown is told not to ask again.
    if (id !== null && headers.get('x-should-retry') !== 'false') this.uncharged.add(id);
  }
}

const isWhole = ({ end }: Kind, text: string): boolean =>
  end === undefined ? parseObject(text) !== undefined : text.includes(end);

function costOf({ headers }: Response, text: string): number | null {
  const told = headers.get('x-gateway-cost') ?? /^: cost=(\d+)$/m.exec(text)?.[1];
  return told === undefined ? null : Number(told);
}
