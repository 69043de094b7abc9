/** Code that Google runs for a model plots pictures, which no model has drawn and nobody bills. */
import type { JsonObject } from '../../core/json.ts';
import { objectOf } from '../fields.ts';

/** Parts that say so. */
export const CODE = [
  'executableCode',
  'executable_code',
  'codeExecutionResult',
  'code_execution_result',
] as const;

const isCode = (part: JsonObject): boolean => CODE.some((name) => objectOf(part[name]) !== undefined);

/** Looks at the parts of one answer in their order. */
export class CodeOutput {
  #hasRun = false;

  /** Whether a picture in this part is one of those. */
  plots(part: JsonObject): boolean {
    this.#hasRun ||= isCode(part);
    return this.#hasRun;
  }
}

/** The same of several answers by their numbers, whose parts come in pieces. */
export class CodeOutputs {
  readonly #answers = new Map<number, CodeOutput>();

  of(answer: number): CodeOutput {
    const known = this.#answers.get(answer);
    if (known) return known;
    const output = new CodeOutput();
    this.#answers.set(answer, output);
    return output;
  }
}
