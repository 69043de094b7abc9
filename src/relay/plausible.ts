/** Whether to believe what an upstream says that an answer used. */
import { limits } from '../core/limits.ts';
import { completionTokens, promptTokens, type Usage } from '../core/usage.ts';

/** Null for usage beyond all bounds, which is a mistake of the upstream: then it is counted here. */
export const plausible = (usage: Usage | null): Usage | null =>
  usage && promptTokens(usage) <= limits.maxTokensCap && completionTokens(usage) <= limits.maxTokensCap
    ? usage
    : null;
