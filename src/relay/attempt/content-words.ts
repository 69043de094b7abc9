/** What a 403 is about: content that its upstream will not answer, or an account that is shut or lacks a right. */

import type { UpstreamErrorBody } from '../../dialects/dialect.ts';

/** A 403 for what was said, as moderation before a model tells it; codes and texts of OpenRouter, Azure and others. */
const OF_CONTENT =
  /\bmoderation\b|\bflagged\b|\bcontent[ _-]?(?:policy|policies|filter|management|safety|violat)|\busage polic(?:y|ies)\b|\bsafety (?:system|filter|polic)|\bguardrails?\b|\bresponsible[ _]ai\b|\b(?:unsafe|inappropriate|prohibited)[ _]content\b|data_inspection|敏感内容|违规内容|内容安全/i;

/**
 * The same words tell why an account, organisation or key is shut, which says nothing of this call: with another it may
 * go well. So do those of rights and terms that it lacks. Words are hardly ever called suspended or disabled; flagged and
 * blocked are said of both. That an account may yet be shut is a warning.
 */
const OF_SHUT_ACCOUNT = [
  /(?<![a-z])(?:accounts?|organi[sz]ations?|workspace|team|project|subscription|api[ _-]?key|(?:this|your|the) key)(?:(?! (?:may|might|could|can|will|being|not) )[^.,:;!?\n]|\.(?=\w)){0,60}(?:suspended|disabled|deactivated|terminated|banned|revoked)/i,
  /(?<![a-z])(?:accounts?|organi[sz]ations?|workspace|team|project|resource|subscription|api[ _-]?key|(?:this|your|the) key) (?:\S{1,64} )?(?:(?:has|have) been|is|are|was|were) (?:temporarily )?(?:flagged|blocked|restricted|locked)/i,
  /\bnot authorized to\b|\bterms not (?:been )?accepted\b/i,
  /(?<![a-z])access (?:to (?:the|our|this) (?:api|service|platform) )?(?:(?:has been|is|was) )?(?:suspended|disabled|terminated|revoked)/i,
  /(?:suspended|disabled|deactivated|terminated|banned|revoked|blocked|flagged) (?:(?:your|this|the) )?(?:account|organi[sz]ation|api[ -]?key|access to (?:the|our|this) (?:api|service|platform))/i,
  /(?:账户|账号|帐户|帐号|密钥|组织)[^。！？；\n]{0,40}(?<!(?:将|会|能)被?)(?:封禁|封停|禁用|停用|冻结|暂停|吊销|注销)/,
];

/** Whether a refusal is for what was said: whoever serves it would refuse it, and no key is to blame. */
export function speaksOfContent({ code, type, message }: UpstreamErrorBody): boolean {
  const text = `${code}\n${type}\n${message}`;
  return OF_CONTENT.test(text) && !OF_SHUT_ACCOUNT.some((pattern) => pattern.test(text));
}
