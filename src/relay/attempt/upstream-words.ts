/**
 * What the words of an upstream are about: the operator's own account with it (its money, plan, organisation, projects), or
 * content that it will not answer.
 */
import type { UpstreamErrorBody } from '../../dialects/dialect.ts';

/**
 * An underscore stands for a blank: codes such as `billing_hard_limit_reached` are words too. A billing header is none: by
 * that name clouds refuse a line of Claude Code's.
 */
const OF_MONEY = [
  /\bbilling\b(?!-header)|\binvoices?\b|\bunpaid\b|\bpaid (?:plan|tier|account)\b|\bfree (?:tier|plan|trial)\b/,
  /\b(?:credit|account|prepaid|remaining|wallet|insufficient|your) balance\b|\bbalance (?:is|was|too|insufficient|exhausted)\b/,
  /\binsufficient (?:credits?|funds?|quota)\b|\b(?:out of|no|more|add|buy|purchase|enough|used up|your) credits?\b/,
  /\bcredits? (?:are|have|has|is|balance|limit|required|remaining|exhausted|expired)\b/,
  /\bquota\b.{0,40}\b(?:exceeded|exhausted|insufficient|reached|used up)\b|\b(?:exceeded|exhausted|reached|current|your)\b.{0,40}\bquota\b/,
  /\b(?:hard|soft|spend|spending|usage|budget|monthly|daily) (?:limit|cap)s?\b/,
  /\bpayment (?:method|required|failed|is|due|overdue)\b|\b(?:overdue|past due) payment\b|\btop up\b|\btop-up\b|\brecharge\b|\barrear|\bgood standing\b/,
  /\b(?:your|current) (?:plan|subscription)\b|\bsubscription (?:has|is|expired|required)\b|\bplans? (?:&|and) billing\b/,
  /欠费|余额|充值|账单|额度|配额|套餐|付费|资源包|计费/,
];
const OF_IDENTITY = [
  /\b(?:your|this|the|for|in|of|by) organi[sz]ation\b|\borgani[sz]ation (?:has|is|must|was|id|named|['"`[(:]|org-)/,
  /\b(?:your|this|the|upstream|aws|cloud) account\b|\baccount (?:is|has|id|number|not|does|deactivated|suspended|disabled)\b/,
  /\bapi ?-?key\b|\baccess key\b|\bsecurity token\b|\bcredentials?\b|\bservice account\b/,
  /\b(?:your|this) project\b|\bproject (?:id|number|has|is|['"`#]|\d)|\bconsumer ['"`]|\bhas not been used in project\b/,
  /账户|帐户|账号|帐号|实名|密钥|组织机构|您的组织/,
];
const OF_THE_ACCOUNT = [...OF_MONEY, ...OF_IDENTITY].map(({ source }) => new RegExp(source, 'iu'));

/** What of an upstream's words tells something of the operator's account. */
export function tellingIn(said: string): string[] {
  const text = said.replaceAll('_', ' ');
  return OF_THE_ACCOUNT.flatMap((pattern) => text.match(pattern)?.slice(0, 1) ?? []);
}

/** Whether an upstream's words tell something of the operator's account with it. */
export const tellsOfAccount = (said: string): boolean => tellingIn(said).length > 0;

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

/** Words of OpenAI's, whose code for it Azure leaves out. What follows them may name the organisation. */
const OF_SEAL = [/\bencrypted content\b/i, /\bcould not be (?:verified|decrypted)\b/i];

/** Reasoning that stands there by its id: OpenAI says so with a 404, Azure with a 400. */
const OF_KEPT_REASONING = /\bitem with id \W{0,2}rs_[\w-]{1,200}\W{0,2} not found\b/i;

/** Whether it cannot open what is sealed in a request, or has not kept it, which says nothing of its own account. */
export const speaksOfSeal = (status: number, { code, message }: UpstreamErrorBody): boolean =>
  code === 'invalid_encrypted_content' ||
  (status === 400 && OF_SEAL.every((pattern) => pattern.test(message))) ||
  ((status === 400 || status === 404) && OF_KEPT_REASONING.test(message));

/** Anthropic's, of an account or a workspace, and LiteLLM's of a key. */
const OF_SPENT =
  /^you have reached your specified (?:workspace )?(?:api )?usage limits\b|^budget has been exceeded\b/i;

/**
 * Whether its account has spent what its owner lets it spend in a time: it is well again when that is over. As a bad request,
 * which some make of it, it would end calls that another account answers.
 */
export const speaksOfSpent = (status: number, { type, message }: UpstreamErrorBody): boolean =>
  status === 400 && (type === 'budget_exceeded' || OF_SPENT.test(message));

/**
 * Anthropic's, to which Bedrock and gateways put words of theirs, those of its older models, Bedrock's own, Google's and
 * Vertex's, Moonshot's, xAI's and those of servers of open models, which have OpenAI's words without its code, DashScope's,
 * Mistral's, MiniMax's, Zhipu's, llama.cpp's and Cohere's, which begins as it does of a limit.
 */
const OF_LENGTH = [
  /^prompt is too long\b|\bprompt is too long: \d/i,
  /\binput is too long for requested model\b/i,
  /\binput token count\b.{0,40}\b(?:exceeds the maximum number of tokens|only supports up to)\b/i,
  /\bexceeded model token limit\b/i,
  /\bmaximum (?:context|prompt) length (?:is|of)\b/i,
  /\binput length and `?max_tokens`? exceed context limit\b/i,
  /\brange of input length should be\b/i,
  /\btoo large for model with \d{1,9} maximum context length\b/i,
  /\bcontext window exceeds limit\b/i,
  /^prompt exceeds max length\b/i,
  /\bexceeds the available context size\b/i,
  /^too many tokens: (?:size limit exceeded|total number of tokens)\b/i,
];

/** Whether a prompt is longer than its model reads. Agents sum up by a code, which OpenAI alone tells. */
export const speaksOfLength = (status: number, { message }: UpstreamErrorBody): boolean =>
  status === 400 && OF_LENGTH.some((pattern) => pattern.test(message));

/**
 * Whether it is longer than all that its account may send in a minute, in the words of OpenAI and Groq: no waiting mends that,
 * and the account is as well as before for whatever is shorter.
 */
export const speaksOfMinute = (status: number, { message }: UpstreamErrorBody): boolean =>
  (status === 429 || status === 413) && /^request too large\b/i.test(message);
