/**
 * How each channel has answered, by the quarter of an hour: every try counts, also one after which another channel
 * answered, which no charge tells of. Figures to look at, so that calls wait for nothing: they are counted in memory and
 * written every few seconds, and a process that is killed loses those.
 */
import { limits } from '../../core/limits.ts';
import { nowSec } from '../../core/time.ts';
import { storableJson } from '../../db/statement.ts';
import type { Deps } from '../deps.ts';
import { QUARTER_SEC } from './facts.ts';

/** What a try came to. */
export type Answered = 'ok' | 'slow' | 'failed';

interface Count {
  quarter: number;
  channel_id: number;
  ok: number;
  slow: number;
  failed: number;
  /** Milliseconds until the answers came, without those that failed. */
  answer_ms: number;
}

type QuarterDeps = Pick<Deps, 'db' | 'log'>;

export class ChannelQuarters {
  readonly #deps: QuarterDeps;
  #counts = new Map<number, Count>();
  /** Of quarters that ended before they were written. */
  #ended: Count[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: QuarterDeps) {
    this.#deps = deps;
  }

  /** Never throws, and waits for nothing. */
  add(channelId: number, answered: Answered, ms: number): void {
    const now = nowSec();
    const quarter = now - (now % QUARTER_SEC);
    let count = this.#counts.get(channelId);
    if (count?.quarter !== quarter) {
      if (count && this.#ended.length < limits.quartersWaiting) this.#ended.push(count);
      count = { quarter, channel_id: channelId, ok: 0, slow: 0, failed: 0, answer_ms: 0 };
      this.#counts.set(channelId, count);
    }
    count[answered]++;
    if (answered !== 'failed') count.answer_ms += Math.round(ms);
    if (this.#timer) return;
    this.#timer = setTimeout(() => void this.write(), limits.quartersWriteMs);
    this.#timer.unref();
  }

  /** Writes what was counted; resolves also where the database does not take it. */
  write(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const counts = [...this.#ended, ...this.#counts.values()];
    this.#ended = [];
    this.#counts = new Map();
    this.#writing = this.#writing.then(() => this.#store(counts));
    return this.#writing;
  }

  async #store(counts: readonly Count[]): Promise<void> {
    if (counts.length === 0) return;
    try {
      await this.#deps.db.query(STORE, [storableJson(counts.map((count) => ({ ...count })))]);
    } catch (error) {
      this.#ended.push(...counts.slice(0, Math.max(limits.quartersWaiting - this.#ended.length, 0)));
      this.#deps.log.warn('channel.quarters', { channels: counts.length, error });
    }
  }
}

/** In one order, so that two processes do not lock each other out. */
const STORE = `
  insert into channel_quarters (quarter, channel_id, ok, slow, failed, answer_ms)
  select quarter, channel_id, sum(ok), sum(slow), sum(failed), sum(answer_ms)
  from jsonb_to_recordset($1::text::jsonb) as c(quarter bigint, channel_id bigint, ok bigint, slow bigint, failed bigint,
    answer_ms bigint)
  group by quarter, channel_id order by quarter, channel_id
  on conflict (quarter, channel_id) do update set ok = channel_quarters.ok + excluded.ok,
    slow = channel_quarters.slow + excluded.slow, failed = channel_quarters.failed + excluded.failed,
    answer_ms = channel_quarters.answer_ms + excluded.answer_ms`;

/** Nobody looks further back. */
export async function forgetQuarters({ db }: Pick<Deps, 'db'>): Promise<void> {
  await db.query('delete from channel_quarters where quarter < $1', [nowSec() - limits.quartersKeptSec]);
}
