/** Usage as Ollama counts it: two numbers beside the last message. A prompt that it had in its cache whole may be missing. */
import type { JsonObject } from '../../core/json.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import { countOf } from '../fields.ts';

/** What an answer counts; null when it counts nothing. */
export function readUsage(answer: JsonObject): Usage | null {
  const input = countOf(answer.prompt_eval_count);
  const output = countOf(answer.eval_count);
  if (input === undefined && output === undefined) return null;
  return { ...noUsage(), input: input ?? 0, output: output ?? 0 };
}
