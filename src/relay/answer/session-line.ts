/**
 * The events of a session's caller, one after the other, as its turns come: one read of a socket brings tens of thousands of
 * small ones. Those after one that takes time wait, too, and as long as any does, nothing more is read of what the caller
 * sends.
 */
import { CHAR_BYTES } from '../../core/limits/sizes.ts';
import { limits } from '../../core/limits.ts';
import { EventGuard, type JsonFault } from '../../dialects/json-guard.ts';
import type { ServerSocket } from '../../platform/sockets.ts';
import type { SessionTurns, TurnTaker, Whose } from './session-turns.ts';

/** What an event takes in memory beside its characters. */
const EVENT_BYTES = 64;
const bytesOf = (event: string): number => CHAR_BYTES * event.length + EVENT_BYTES;

export interface LineOwner {
  /** Passes an event on, or tells what is wrong with it. Never throws, and what it promises never rejects. */
  pass(event: string, fault: JsonFault | null): Promise<void> | undefined;
  /** Something has waited into another turn. */
  stillWaits(): void;
}

export class SessionLine implements TurnTaker {
  readonly #waiting: string[] = [];
  readonly #guard = new EventGuard();
  #bytes = 0;
  #isPassing = false;
  #isEnded = false;
  #isPaused = false;
  #look: NodeJS.Immediate | undefined;

  constructor(
    readonly socket: Pick<ServerSocket, 'pause' | 'resume'>,
    readonly owner: LineOwner,
    readonly whose: Whose,
    readonly turns: SessionTurns,
  ) {}

  /** Of what waits. */
  get bytes(): number {
    return this.#bytes;
  }

  push(event: string): void {
    if (this.#isEnded) return;
    this.#waiting.push(event);
    this.#bytes += bytesOf(event);
    this.#goOn();
    if (this.#bytes > 0) this.#look ??= setImmediate(this.#stillWaits);
  }

  #goOn(): void {
    if (this.#hasNext) this.turns.wait(this);
    this.#readOnOrPause();
  }

  get #hasNext(): boolean {
    return !this.#isPassing && this.#waiting.length > 0;
  }

  passNext(): ReturnType<TurnTaker['passNext']> {
    const event = this.#waiting.shift();
    if (event === undefined) return { takes: 0, again: false };
    this.#bytes -= bytesOf(event);
    const { fault, names } = this.#guard.look(event);
    const passing = this.owner.pass(event, fault);
    if (passing) this.#await(passing);
    this.#readOnOrPause();
    const takes = event.length + limits.sessionEventChars + names * limits.sessionNameChars;
    return { takes, again: this.#hasNext };
  }

  #await(passing: Promise<void>): void {
    this.#isPassing = true;
    void passing.then(() => {
      this.#isPassing = false;
      this.#goOn();
    });
  }

  readonly #stillWaits = (): void => {
    this.#look = undefined;
    if (this.#bytes > 0) this.owner.stillWaits();
  };

  #readOnOrPause(): void {
    const isWaiting = this.#waiting.length > 0;
    if (isWaiting === this.#isPaused) return;
    this.#isPaused = isWaiting;
    if (isWaiting) this.socket.pause();
    else this.socket.resume();
  }

  /** Nothing more is passed, and what comes is read for nobody: also that he takes the end for one. */
  end(): void {
    this.#isEnded = true;
    this.turns.leave(this);
    this.#waiting.length = 0;
    this.#bytes = 0;
    this.#readOnOrPause();
  }
}
