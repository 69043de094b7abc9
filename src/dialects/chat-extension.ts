/**
 * What vendors added to OpenAI's chat wire. OpenAI and several others refuse a request with a field that they do not
 * know, so that these are written only where a provider says that it takes them.
 */
export type ChatExtension =
  | 'top_k'
  | 'min_p'
  | 'repetition_penalty'
  /** Reasoning of earlier turns, in assistant messages. */
  | 'reasoning_content'
  /** The same with its proofs, as OpenRouter has it. */
  | 'reasoning_details'
  /** Marks on parts and tools. */
  | 'cache_control'
  /** `thinking: { type: 'enabled' | 'disabled' }`. */
  | 'thinking'
  /** `enable_thinking` and `thinking_budget`. */
  | 'enable_thinking'
  | 'video_url'
  | 'file_url'
  /** OpenAI's own, which copies of its wire do not take. */
  | 'custom_tools'
  | 'web_search_options'
  | 'verbosity'
  /** `metadata`, `store`, `service_tier` and those of the prompt's cache, which speak of the account at OpenAI. */
  | 'openai_fields';
