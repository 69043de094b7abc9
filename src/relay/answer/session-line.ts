/**
 * The events of a session's caller, one after the other. One read of a socket brings tens of thousands of small ones, which
 * all come in one turn of the loop: each turn passes a few of them, so that everybody else has his. Those after one that
 * takes time wait, too, and as long as any does, nothing more is read of what the caller sends.
 */
import { limits } from '../../core/limits.ts';
import type { ServerSocket } from '../../platform/sockets.ts';

/** What an event takes in memory beside its characters. */
const EVENT_BYTES = 64;
const bytesOf = (event: string): number => event.length + EVENT_BYTES;

export interface LineOwner {
  /** Passes an event on. Never throws, and what it promises never rejects. */
  pass(event: string): Promise<void> | undefined;
  /** Something has waited into another turn. */
  stillWaits(): void;
}

export class SessionLine {
  readonly #waiting: string[] = [];
  #bytes = 0;
  /** Characters that may be passed in this turn yet. */
  #left: number = limits.sessionTurnChars;
  #isPassing = false;
  #isEnded = false;
  #turn: NodeJS.Immediate | undefined;
  #isPaused = false;

  constructor(
    readonly socket: Pick<ServerSocket, 'pause' | 'resume'>,
    readonly owner: LineOwner,
  ) {}

  /** Of what waits. */
  get bytes(): number {
    return this.#bytes;
  }

  push(event: string): void {
    if (this.#isEnded) return;
    this.#waiting.push(event);
    this.#bytes += bytesOf(event);
    this.#turn ??= setImmediate(this.#nextTurn);
    this.#go();
  }

  #go(): void {
    while (!this.#isPassing && this.#left > 0) {
      const event = this.#waiting.shift();
      if (event === undefined) break;
      this.#bytes -= bytesOf(event);
      this.#left -= event.length + limits.sessionEventChars;
      this.#turn ??= setImmediate(this.#nextTurn);
      const passing = this.owner.pass(event);
      if (passing) this.#await(passing);
    }
    const isWaiting = this.#waiting.length > 0;
    if (isWaiting !== this.#isPaused) this.#pause(isWaiting);
  }

  #await(passing: Promise<void>): void {
    this.#isPassing = true;
    void passing.then(() => {
      this.#isPassing = false;
      this.#go();
    });
  }

  readonly #nextTurn = (): void => {
    this.#turn = undefined;
    this.#left = limits.sessionTurnChars;
    this.#go();
    if (this.#bytes > 0) this.owner.stillWaits();
  };

  #pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (isPaused) this.socket.pause();
    else this.socket.resume();
  }

  /** Nothing more is passed, and what comes is read for nobody: also that he takes the end for one. */
  end(): void {
    this.#isEnded = true;
    this.#waiting.length = 0;
    this.#bytes = 0;
    if (this.#isPaused) this.#pause(false);
  }
}
