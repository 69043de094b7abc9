/**
 * Faults that a tired hand could make in money, in who may do what, and in the codecs, each of which the named tests must
 * notice. They prove the tests, not the product: a rule that no fault disturbs is guarded by nobody.
 */
export interface PlantedFault {
  /** What is wrong with it. */
  name: string;
  file: string;
  /** Stands once in the file. */
  was: string;
  becomes: string;
  /** Files of tests of which one at least must fail. */
  noticedBy: readonly string[];
}

const FORMULA = 'src/core/price-formula.ts';
const FORMULA_TESTS = ['src/core/price-formula.test.ts'];
const STATEMENTS = ['src/billing/statements.test.ts', 'src/billing/ledger.test.ts'];

const money: readonly PlantedFault[] = [
  {
    name: 'halves are rounded down',
    file: FORMULA,
    was: '(2n * sum * groupFactor(quote) + EXACT_ONE) /',
    becomes: '(2n * sum * groupFactor(quote)) /',
    noticedBy: FORMULA_TESTS,
  },
  {
    name: 'a cache write of an hour costs what one of minutes costs',
    file: FORMULA,
    was: 'cacheWriteHour: (r) => [r.model, r.cacheWriteHour]',
    becomes: 'cacheWriteHour: (r) => [r.model, r.cacheWrite]',
    noticedBy: FORMULA_TESTS,
  },
  {
    name: 'a spoken answer is not weighed by the ratio of sound',
    file: FORMULA,
    was: 'outputAudio: (r) => [r.model, r.audio, r.audioCompletion]',
    becomes: 'outputAudio: (r) => [r.model, r.audioCompletion]',
    noticedBy: FORMULA_TESTS,
  },
  {
    name: 'the last token of a tier belongs to the next',
    file: FORMULA,
    was: 'upTo === null || count <= upTo',
    becomes: 'upTo === null || count < upTo',
    noticedBy: FORMULA_TESTS,
  },
  {
    name: 'the bound of a prompt forgets the frames of its messages',
    file: 'src/core/prompt-bound.ts',
    was: '4 * messages +',
    becomes: '',
    noticedBy: ['src/core/price-bound.test.ts'],
  },
  {
    name: 'a reservation may take one unit more than there is',
    file: 'src/billing/sql/reserve.sql',
    was: 'from b where usum <= quota',
    becomes: 'from b where usum <= quota + 1',
    noticedBy: ['src/billing/create.test.ts'],
  },
  {
    name: 'a late settlement finds its reservation made again',
    file: 'src/billing/sql/reserve.sql',
    was: 'and (not q.extends or q.id in (select id from rs))',
    becomes: 'and (not q.extends or true)',
    noticedBy: STATEMENTS,
  },
  {
    name: 'a token does not get back what its calls did not use',
    file: 'src/billing/sql/settle.sql',
    was: 'greatest(tk.remain_quota + s.a - s.c, 0)',
    becomes: 'greatest(tk.remain_quota - s.c, 0)',
    noticedBy: STATEMENTS,
  },
  {
    name: 'failed calls count as calls',
    file: 'src/billing/sql/settle.sql',
    was: 'count(*) filter (where type = 2) as n',
    becomes: 'count(*) as n',
    noticedBy: STATEMENTS,
  },
  {
    name: 'a batch is settled at once whatever is held for its calls',
    file: 'src/billing/sql/settle-at-once.sql',
    was: 'and array_agg(amount) = {calls.amount}',
    becomes: 'and array_agg(amount) is not null and {calls.amount} is not null',
    noticedBy: ['src/billing/at-once.test.ts'],
  },
  {
    name: 'a batch is reserved at once when it takes one unit more than there is',
    file: 'src/billing/sql/reserve-at-once.sql',
    was: 'where us.usable and us.quota >= s.a',
    becomes: 'where us.usable and us.quota >= s.a - 1',
    noticedBy: ['src/billing/at-once.test.ts'],
  },
  {
    name: 'what a dead process held is given back and charged again',
    file: 'src/billing/sql/orphan.sql',
    was: 'set amount = 0, orphaned_at',
    becomes: 'set amount = reservations.amount, orphaned_at',
    noticedBy: ['src/billing/recovery.test.ts', ...STATEMENTS],
  },
];

const GUARD = 'src/http/guard.ts';
const CREDENTIAL_TESTS = ['tests/relay/access.test.ts'];

const guard: readonly PlantedFault[] = [
  {
    name: 'every signed-in user passes as whoever is asked for',
    file: GUARD,
    was: "if (!hasRole(viewer.role, least)) throw fail('FORBIDDEN_ROLE');",
    becomes: "if (!hasRole(viewer.role, 'user')) throw fail('FORBIDDEN_ROLE');",
    noticedBy: ['tests/http/roles.test.ts'],
  },
  {
    name: 'a page that believes in another user is let through',
    file: GUARD,
    was: "if (header !== String(viewer.id)) throw fail('USER_MISMATCH');",
    becomes: '',
    noticedBy: ['src/http/guard.test.ts', 'tests/http/guard.test.ts'],
  },
  {
    name: 'a page of another site may call',
    file: GUARD,
    was: "request.headers.get('origin') === context.origin;",
    becomes: "request.headers.get('origin') !== 'null';",
    noticedBy: ['src/http/guard.test.ts', 'tests/http/guard.test.ts'],
  },
  {
    name: 'the address of a page makes a call that acts',
    file: GUARD,
    was: "if (isInProcess(request)) throw fail('UNKNOWN_ROUTE');",
    becomes: '',
    noticedBy: ['tests/attacks/acting-reads.test.ts'],
  },
  {
    name: 'an administrator acts on his equals',
    file: 'src/core/roles.ts',
    was: 'actor.role > target.role;',
    becomes: 'actor.role >= target.role;',
    noticedBy: ['tests/http/user', 'src/core/roles.test.ts'],
  },
  {
    name: 'a token that has expired still calls',
    file: 'src/relay/entry/admit.ts',
    was: "if (isExpired({ expired_time: caller.expiredTime }, nowSec())) throw fail('token_expired');",
    becomes: '',
    noticedBy: CREDENTIAL_TESTS,
  },
  {
    name: 'a token calls from anywhere',
    file: 'src/relay/entry/admit.ts',
    was: "if (!address || !inRanges(address, allowIps)) throw fail('ip_not_allowed');",
    becomes: '',
    noticedBy: CREDENTIAL_TESTS,
  },
  {
    name: 'a user pins a channel',
    file: 'src/relay/entry/admit.ts',
    was: "if (!can(caller.role, 'canPinChannel')) throw fail('channel_pin_denied');",
    becomes: '',
    noticedBy: CREDENTIAL_TESTS,
  },
  {
    name: 'a token calls models that its list does not name',
    file: 'src/modules/token/callers.ts',
    was: 'modelLimits === null || modelLimits.has(model);',
    becomes: 'modelLimits === null || modelLimits.size > 0 || modelLimits.has(model);',
    noticedBy: CREDENTIAL_TESTS,
  },
  {
    name: 'a key goes to another host',
    file: 'src/modules/channel/destination.ts',
    was: '![...after.addresses].every((address) => before.addresses.has(address))',
    becomes: '![...after.addresses].every((address) => address !== "")',
    noticedBy: ['tests/attacks/stolen-keys.test.ts'],
  },
];

const codecs: readonly PlantedFault[] = [
  {
    name: 'Anthropic: writes of an hour are counted twice',
    file: 'src/dialects/anthropic-messages/usage.ts',
    was: 'cacheWrite: writes - cacheWriteHour,',
    becomes: 'cacheWrite: writes,',
    noticedBy: ['src/dialects/anthropic-messages/usage.test.ts'],
  },
  {
    name: 'Anthropic: an empty prompt in the end hides the real one',
    file: 'src/dialects/anthropic-messages/usage.ts',
    was: 'if (value !== null && !(empty && PROMPT_FIELDS.includes(field))) merged[field] = value;',
    becomes: 'if (value !== null) merged[field] = value;',
    noticedBy: [
      'src/dialects/anthropic-messages/usage.test.ts',
      'src/dialects/anthropic-messages/stream.test.ts',
    ],
  },
  {
    name: 'OpenAI: reasoning beside its whole is not added',
    file: 'src/dialects/openai-chat/usage.ts',
    was: 'const thoughts = reasoning > completion ? reasoning : 0;',
    becomes: 'const thoughts = 0;',
    noticedBy: ['src/dialects/openai-chat/usage.test.ts'],
  },
  {
    name: 'OpenAI: DeepSeek’s cached tokens are overlooked',
    file: 'src/dialects/openai-chat/usage.ts',
    was: '[usage.prompt_cache_hit_tokens, usage.cached_tokens,',
    becomes: '[usage.cached_tokens,',
    noticedBy: ['src/dialects/openai-chat/usage.test.ts'],
  },
  {
    name: 'a line end that is cut in two ends a frame',
    file: 'src/dialects/frames.ts',
    was: 'this.#afterCr = byte === CR;',
    becomes: 'this.#afterCr = false;',
    noticedBy: ['src/dialects/frames.test.ts'],
  },
  {
    name: 'free text of a tool reaches a caller of functions as it is',
    file: 'src/dialects/custom-tools.ts',
    was: 'innerObject(text) ? text : JSON.stringify(wrapCustomInput(text));',
    becomes: 'text;',
    noticedBy: ['src/dialects/custom-tools.test.ts'],
  },
  {
    name: 'Gemini: thoughts are not part of the answer',
    file: 'src/dialects/gemini/usage.ts',
    was: 'completion: candidates + thoughts + unnamed,',
    becomes: 'completion: candidates + unnamed,',
    noticedBy: ['src/dialects/gemini/usage.test.ts'],
  },
  {
    name: 'Gemini: sound from the cache is charged as fresh',
    file: 'src/dialects/gemini/usage.ts',
    was: 'inputs.AUDIO - fromCache.AUDIO',
    becomes: 'inputs.AUDIO',
    noticedBy: ['src/dialects/gemini/usage.test.ts'],
  },
  {
    name: 'two calls of one name share an id',
    file: 'src/dialects/call-ids.ts',
    was: 'given || madeId(answer, n++), response',
    becomes: 'given || madeId(answer, 0), response',
    noticedBy: ['src/dialects/call-ids.test.ts', 'src/dialects/gemini/stream.test.ts'],
  },
  {
    name: 'a call has the id of an earlier one',
    file: 'src/dialects/told-ids.ts',
    was: ' && !known.has(id)',
    becomes: '',
    noticedBy: ['src/dialects/told-ids.test.ts'],
  },
  {
    name: 'answers of several choices come in any order',
    file: 'src/dialects/accumulate.ts',
    was: 'this.#reply.choices.sort((a, b) => a.index - b.index);',
    becomes: '',
    noticedBy: ['src/dialects/accumulate.test.ts', 'src/dialects/openai-chat/stream.test.ts'],
  },
];

export const plantedFaults: readonly PlantedFault[] = [...money, ...guard, ...codecs];
