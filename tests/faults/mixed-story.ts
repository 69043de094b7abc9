/** What becomes of a site while it is called: its people and its keeper at work, a channel that fails, processes that die. */

import { type Dice, deckOf } from '../support/dice.ts';
import type { ApiAnswer } from '../support/gateway.ts';
import { DONE, FAILED } from '../support/suno-server.ts';
import type { Behaviour } from '../support/upstream.ts';
import { type Callers, PLAIN } from './mixed-callers.ts';
import { type Account, type Host, type MixedSite, type Owner, POOR_QUOTA, PRICED } from './mixed-site.ts';

/** Between two things that happen, on average. */
const PAUSE_MS = 150;
/** A process that died is back in some seconds, and has then some time to be busy. */
const DEATHS_FROM_MS = 20_000;
const DEATHS_TO_MS = 30_000;
/** With every so many of them the database drops all its connections: twice in ten minutes. */
const DEATHS_A_CUT = 9;
/** So many are out at a time. */
const STOPPED = 10;
const CODE_QUOTA = 5_000;
const LIMITED_QUOTA = 20_000;
const TEMPERS: Behaviour[] = ['ok', 'ok', '500', '429', 'reset', 'cut', 'slow'];

interface Act {
  name: string;
  share: number;
  /** Whether it was told that it is done. */
  run(): Promise<boolean>;
}

export class Story {
  /** How often somebody was told that something is done. */
  readonly done = new Map<string, number>();
  /** Refused, or without an answer. */
  undone = 0;
  readonly exits: number[] = [];
  killed = 0;
  cuts = 0;
  /** Who may be stopped, as far as is known, and what lets him call again. */
  readonly #stopped = new Map<Account, (host: Host) => Promise<ApiAnswer>>();
  #tasksTold = 0;
  readonly #deck: Act[];

  constructor(
    readonly site: MixedSite,
    readonly callers: Callers,
    readonly dice: Dice,
  ) {
    this.#deck = deckOf<Act>([
      { name: 'ban', share: 8, run: () => this.#ban() },
      { name: 'token off', share: 6, run: () => this.#switchOff() },
      { name: 'let in again', share: 14, run: () => this.#letIn() },
      { name: 'token limit', share: 6, run: () => this.#limit() },
      { name: 'quota edit', share: 20, run: () => this.#editQuota() },
      { name: 'code redeemed', share: 8, run: () => this.#redeem() },
      { name: 'top-up', share: 5, run: () => this.#topUp() },
      { name: 'price edit', share: 6, run: () => this.#editPrices() },
      { name: 'channel edit', share: 8, run: () => this.#editChannel() },
      { name: 'channel temper', share: 6, run: async () => this.#changeTemper() },
      { name: 'task news', share: 10, run: async () => this.#tellTasks() },
    ]);
  }

  /** One thing after the other; who asks a process that dies hears nothing. */
  async people(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const { name, run } = this.dice.of(this.#deck);
      const isDone = await run().catch(() => false);
      if (isDone) this.done.set(name, (this.done.get(name) ?? 0) + 1);
      else this.undone++;
      this.site.forgetSeen();
      await Bun.sleep(this.dice.below(2 * PAUSE_MS));
    }
  }

  /** One process after the other ends, most of them without a word, and comes back. */
  async deaths(untilMs: number): Promise<void> {
    for (let nth = 0; ; nth++) {
      const after = DEATHS_FROM_MS + this.dice.below(DEATHS_TO_MS - DEATHS_FROM_MS);
      const leftMs = untilMs - performance.now();
      await Bun.sleep(Math.max(Math.min(after, leftMs), 0));
      if (after >= leftMs) return;
      const host = this.dice.of(this.site.hosts);
      if (nth > 0 && this.dice.below(3) === 0) this.exits.push(await host.gateway.stop());
      else await this.kill(host);
      if (nth % DEATHS_A_CUT === 1) await this.#dropConnections(host);
      await host.restart();
    }
  }

  async kill(host: Host): Promise<void> {
    this.killed++;
    await host.gateway.kill();
  }

  /** All of everybody's but the one that asks for it, statements of money among them. */
  async #dropConnections({ gateway }: Host): Promise<void> {
    this.cuts++;
    await gateway.withDatabase((db) =>
      db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      ),
    );
  }

  get #host(): Host {
    return this.dice.of(this.site.hosts);
  }

  #ban(): Promise<boolean> {
    const account = this.dice.of(this.site.others);
    const manage = (host: Host, action: string) =>
      host.root.call('POST', '/api/user/manage', { id: account.id, action });
    return this.#stop(
      account,
      (host) => manage(host, 'disable'),
      (host) => manage(host, 'enable'),
    );
  }

  #switchOff(): Promise<boolean> {
    const owner = this.dice.of(this.site.owners);
    const { account } = owner;
    const put = (host: Host, status: number) =>
      asked(owner, host, 'PUT', '/api/token/?status_only=true', { id: account.tokenId, status });
    return this.#stop(
      account,
      (host) => put(host, 2),
      (host) => put(host, 1),
    );
  }

  /** Who has been told of it is served by no process any more; it may also have been done where nobody was told. */
  async #stop(
    account: Account,
    stop: (host: Host) => Promise<ApiAnswer>,
    letIn: (host: Host) => Promise<ApiAnswer>,
  ): Promise<boolean> {
    if (this.#stopped.has(account) || this.#stopped.size >= STOPPED) return false;
    this.#stopped.set(account, letIn);
    const { success } = await stop(this.#host);
    if (!success) return false;
    account.stop = {};
    await Promise.all(this.site.hosts.map((host) => this.callers.call(PLAIN, account, host)));
    return true;
  }

  async #letIn(): Promise<boolean> {
    const stopped = [...this.#stopped];
    if (stopped.length === 0) return false;
    const [account, letIn] = this.dice.of(stopped);
    account.stop = null;
    const { success } = await letIn(this.#host);
    if (success) this.#stopped.delete(account);
    return success;
  }

  async #limit(): Promise<boolean> {
    const owner = this.dice.of(this.site.owners);
    const { success } = await asked(owner, this.#host, 'PUT', '/api/token/', {
      id: owner.account.tokenId,
      unlimited_quota: this.dice.below(2) === 0,
      remain_quota: this.dice.below(LIMITED_QUOTA),
    });
    return success;
  }

  /** The poor live of it; who has less than is taken keeps it. */
  async #editQuota(): Promise<boolean> {
    const { id } = this.dice.of(this.site.others);
    const add_quota = this.dice.below(3) === 0 ? -1 - this.dice.below(POOR_QUOTA) : POOR_QUOTA;
    const body = { id, add_quota, reason: 'as it came' };
    return (await this.#host.root.call('PUT', '/api/user/', body)).success;
  }

  /** At both processes at once, which give it once. */
  async #redeem(): Promise<boolean> {
    const owner = this.dice.of(this.site.owners);
    const [key] = await this.#host.root.post('/api/redemption/', { name: 'story', quota: CODE_QUOTA });
    const answers = await Promise.allSettled(
      this.site.hosts.map((host) => asked(owner, host, 'POST', '/api/user/topup', { key })),
    );
    return answers.some((answer) => answer.status === 'fulfilled' && answer.value.success);
  }

  async #topUp(): Promise<boolean> {
    const { epay } = this.site;
    const owner = this.dice.of(this.site.owners);
    const { data, ...answer } = await asked(owner, this.#host, 'POST', '/api/user/pay', {
      amount: 1,
      payment_method: 'alipay',
    });
    if (!('trade_no' in answer)) return false;
    const tradeNo = String(answer.trade_no);
    await epay.submit(`${epay.base}/submit.php`, data);
    await epay.pay(tradeNo);
    const told = await epay.tell(tradeNo, { times: 2 });
    return told.some(({ text }) => text === 'success');
  }

  async #editPrices(): Promise<boolean> {
    const ratios = Object.fromEntries(PRICED.map((model) => [model, 1 + this.dice.below(3)]));
    await this.#host.root.setOption('ModelRatio', ratios);
    return true;
  }

  async #editChannel(): Promise<boolean> {
    const body = {
      id: this.site.spareId,
      status: 1 + Number(this.dice.below(4) === 0),
      priority: this.dice.below(2),
      weight: this.dice.below(5),
    };
    return (await this.#host.root.call('PUT', '/api/channel/', body)).success;
  }

  #changeTemper(): boolean {
    this.site.spare.always = this.dice.of(TEMPERS);
    return true;
  }

  /** Of every task since the last time; until then they are under way. */
  #tellTasks(): boolean {
    const { suno } = this.site;
    const submitted = suno.submitted.length;
    while (this.#tasksTold < submitted) {
      this.#tasksTold++;
      suno.tell(this.dice.below(3) === 0 ? FAILED : DONE, `vendor-${this.#tasksTold}`);
    }
    return true;
  }
}

function asked({ at }: Owner, host: Host, ...call: Parameters<Host['root']['call']>): Promise<ApiAnswer> {
  const client = at.get(host);
  if (!client) throw new Error('the owner is not signed in there');
  return client.call(...call);
}
