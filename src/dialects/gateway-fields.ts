/**
 * Every field that the gateway reads, sets, counts, limits or prices, and what it does with it: one entry a field, from
 * which everything that must know these names takes them. Whatever folds to one of the names (`folded`) is the same field.
 */
import { folded } from './spelling.ts';

export interface GatewayField {
  /** As OpenAI's and Anthropic's wires spell it. */
  name: string;
  /** Says how much may be written. One that the gateway did not read is no limit of its own. */
  cap?: true;
  /**
   * The operator's matter and no caller's: no body goes on with it, in whichever spelling; or no chat does, where the word
   * means something else beside them.
   */
  operators?: true | 'chat';
  /** The same within `metadata`, where texts are a caller's by all other names. */
  inMetadata?: true;
  /** The values that cost no more than usual: every other is left out where a channel does not sell dearer service. */
  usual?: readonly unknown[];
  /** What an operator's own fields must not change, because it was priced: at the top of a body, in its settings, or both. */
  fixed?: 'top' | 'inside' | 'both';
  /**
   * Where parts of messages have an address or the bytes of a file: in this field, alone, in a list or in an object; by this
   * name in such an object; or both.
   */
  address?: 'part' | 'object' | 'both';
  /**
   * Of a call for pictures: says what they cost. As it is `read` it goes up from the top of a body alone; `unread` are
   * other words for the same, which do not go up; and values are those that cost no more than usual, as of `usual`.
   */
  pictures?: 'read' | 'unread' | readonly unknown[];
  /** Everywhere else the name means something else. */
  only?: 'pictures' | 'films';
  /** Vendors of the chat wire search while they answer where it is on, and bill it beside the tokens of what was found. */
  searches?: true;
  /** May be a file of a form. Some readers take a file for the field of its name, so that no other may be one. */
  mayBeFile?: true;
}

type Facts = Omit<GatewayField, 'name'>;

const all = (facts: Facts, ...names: readonly string[]): GatewayField[] =>
  names.map((name) => ({ name, ...facts }));

/** Formats of one picture made of pixels, as vendors call them, and the ways in which some hand one over. */
const STILL_FORMATS: readonly string[] = [
  ...['png', 'jpg', 'jpeg', 'webp', 'avif', 'heic', 'heif', 'bmp', 'tif', 'tiff', 'jxl'].flatMap((name) => [
    name,
    `image/${name}`,
  ]),
  ...['url', 'base64', 'b64_json', 'binary'],
];

export const GATEWAY_FIELDS: readonly GatewayField[] = [
  // How much may be written, in the words of every wire and vendor.
  ...all(
    { cap: true, fixed: 'both' },
    'max_tokens',
    'max_completion_tokens',
    'max_output_tokens',
    'max_new_tokens',
    'max_tokens_to_sample',
    'max_gen_len',
    'num_predict',
    'n',
    'best_of',
    'candidate_count',
    'num_completions',
    'num_generations',
    'num_images',
    'num_images_per_prompt',
    'number_of_images',
    'sample_count',
    'batch_count',
    'batch_size',
    'image_num',
    'max_images',
    'n_iter',
    'num_outputs',
    'num_outputs_per_prompt',
    'num_samples',
    'samples',
    // A series of pictures for one: Ark's words, and DashScope's.
    'sequential_image_generation',
    'sequential_image_generation_options',
    'enable_sequential',
  ),

  // Who serves it, and how.
  { name: 'model', fixed: 'top' },
  { name: 'stream', fixed: 'both' },
  { name: 'stream_options', fixed: 'top' },
  { name: 'response_mode', fixed: 'top' },
  // Spark's word for its models.
  { name: 'domain', fixed: 'inside' },
  // OpenAI's priority costs about twice as much. Its flex, and Google's, costs half and is slow: here it would be slow at the
  // price of the usual one, since no price says at which models there is any, nor does every gateway give what it tells.
  { name: 'service_tier', usual: ['auto', 'default', 'standard', 'standard_only'] },
  // Anthropic's fast answers cost several times as much; of speech it is how fast a voice reads.
  { name: 'speed', usual: ['standard'], operators: 'chat' },
  // Bedrock's faster answers cost more; gateways know it by its own name alone.
  { name: 'performanceConfig', usual: [{ latency: 'standard' }] },
  // OpenRouter goes on to other models or to dearer hosts of the same, or adds services that it charges for.
  ...all({ usual: [] }, 'models', 'route', 'plugins', 'provider'),
  // Groq's Compound: its models and tools, which are billed as what they are.
  { name: 'compound_custom', usual: [] },
  // Venice's searches, the pages that it reads and the characters of others.
  { name: 'venice_parameters', usual: [] },
  // What Mistral looks for in a text, at a price of its own, and LiteLLM by models that its operator has chosen for it.
  { name: 'guardrails', usual: [], inMetadata: true },
  // Bedrock's name for a model, which LiteLLM takes for that of the one that it was asked for.
  { name: 'model_id', usual: [], operators: 'chat' },
  // Ark stores what it is asked to keep of a prompt for days, by the hour and at a fee that no usage tells.
  { name: 'caching', usual: [{ type: 'disabled' }] },
  { name: 'expire_at', usual: [] },
  ...all(
    {},
    'extra_body',
    'anthropic_beta',
    'session',
    'include_usage',
    'metadata',
    'user_id',
    'context_management',
    'background',
    'deferred',
  ),

  /*
   * The operator's. Upstreams that are gateways themselves (LiteLLM, and whatever takes its words) let a request choose
   * the address it is sent to, with the key of the channel, or another model, or an answer that nobody gives; Anthropic's
   * regional service costs more than the model does, and Vertex has other models answer for the one that was named.
   * These are LiteLLM's own lists of what is its own and no vendor's, and of what it takes of no caller; families of them
   * are known by how they begin (`operators-fields`).
   */
  // Who serves a request, how often it is tried, and how long it is waited for: who leaves too soon has it made for nothing.
  ...all(
    { operators: true },
    'allowed_model_region',
    'api_type',
    'api_version',
    'attempted_targets',
    'client_side_timeout',
    'configurable_clientside_auth_params',
    'content_policy_fallbacks',
    'context_window_fallback_dict',
    'context_window_fallbacks',
    'cooldown_time',
    'custom_llm_provider',
    'default_fallbacks',
    'deployment_id',
    'disable_fallbacks',
    'enable_tag_filtering',
    'fallback_depth',
    'fallbacks',
    'fastest_response',
    'force_timeout',
    'inference_geo',
    'max_fallbacks',
    'max_retries',
    'model_alias_map',
    'model_config',
    'model_info',
    'model_list',
    'model_selection_config',
    'num_retries',
    'organization',
    'original_function',
    'provider_affinity_header',
    // Vercel's: models and hosts that answer instead, keys, and each vendor's own words.
    'provider_options',
    'region_name',
    'request_timeout',
    'retry_policy',
    'retry_strategy',
    'router_settings',
    'router_settings_override',
    'routing_config',
    'routing_strategy',
    'search_tool_name',
    'silent_model',
    'stream_timeout',
    'stream_timeout_by_service_tier',
    'tag_regex',
    'timeout',
    'timeout_by_service_tier',
    'use_chat_completions_api',
    'use_in_pass_through',
    'use_xai_oauth',
    'user_config',
    'vector_store_ids',
  ),
  // What becomes of it on the way to a vendor, and of the answer.
  ...all(
    { operators: true },
    'acompletion',
    'additional_drop_params',
    'aembedding',
    'aimg_generation',
    'allm_passthrough_route',
    'allow_client_keepalive_override',
    'allowed_openai_params',
    'assistant_continue_message',
    'async_call',
    'atext_completion',
    'bos_token',
    'cache_control_injection_points',
    'cache_key',
    'caching_groups',
    'complete_response',
    'completion_call_id',
    'custom_prompt_dict',
    'data_residency',
    'default_headers',
    'disable_add_transform_inline_image_block',
    'drop_params',
    'enable_json_schema_validation',
    'enable_prompt_caching',
    'ensure_alternating_roles',
    'eos_token',
    'extra_headers',
    'extra_query',
    'fake_stream',
    'final_prompt_value',
    'headers',
    'hf_model_name',
    'include_fallback_errors',
    'initial_prompt_value',
    'keepalive_seconds',
    'max_agentic_loops',
    'merge_reasoning_content_in_choices',
    'model_file_id_mapping',
    'preset_cache_key',
    'prompt_environment',
    'prompt_label',
    'prompt_variables',
    'prompt_version',
    'provider_specific_header',
    'stream_chunk_size',
    'stream_response',
    'supports_system_message',
    'text_completion',
    'thought_signature_in_tool_call_id',
    'use_client',
    'user_continue_message',
  ),
  // What a deployment may do, and what it is said to cost.
  ...all(
    { operators: true },
    'base_model',
    'budget_duration',
    'daily_reset_time',
    'default_api_key_rpm_limit',
    'default_api_key_tpm_limit',
    'itpm',
    'kubernetes_pod_discovery',
    'max_budget',
    'max_file_size_mb',
    'max_parallel_requests',
    'otpm',
    'rpd',
    'rpm',
    'tiered_pricing',
    'tpd',
    'tpm',
  ),
  // Where a request goes, and with whose keys.
  ...all(
    { operators: true },
    'allow_legacy_cloud_file_ids',
    'api_base',
    'api_key',
    'base_url',
    'bucket_name',
    'chatgpt_auth_file',
    'client_id',
    'client_secret',
    'custom_endpoint',
    'deployment_url',
    'fireworks_forward_user_id',
    'gemini_api_key',
    'nvcf_function_id',
    'responses_api_version',
    'riva_offline',
    'secret_fields',
    'shared_session',
    'ssl_verify',
    'tenant_id',
    'use_ssl',
    'user_provider_credentials',
    'workspace_id',
    'wx_credentials',
  ),
  // Whom it is told.
  ...all(
    { operators: true },
    'callbacks',
    'failure_callback',
    'log_client_error_tracebacks',
    'logger_fn',
    'no_log',
    'proxy_server_request',
    'success_callback',
  ),
  ...all(
    { operators: true, inMetadata: true },
    'arize_api_key',
    'arize_error_sampling_rate',
    'arize_otlp_protocol',
    'arize_space_id',
    'arize_space_key',
    'arize_success_sampling_rate',
    'braintrust_api_key',
    'braintrust_host',
    'braintrust_project',
    'dd_agent_host',
    'dd_agent_port',
    'dd_api_key',
    'dd_site',
    'disable_global_guardrail',
    'disable_global_guardrails',
    'gcs_bucket_name',
    'gcs_path_service_account',
    'humanloop_api_key',
    'langfuse_environment',
    'langfuse_host',
    'langfuse_prompt_version',
    'langfuse_public_key',
    'langfuse_secret',
    'langfuse_secret_key',
    'langfuse_span_scope',
    'langsmith_api_key',
    'langsmith_base_url',
    'langsmith_project',
    'langsmith_sampling_rate',
    'langsmith_tenant_id',
    'lunary_public_key',
    'newrelic_api_key',
    'newrelic_region',
    'opted_out_global_guardrails',
    'posthog_api_key',
    'posthog_api_url',
    'posthog_host',
    'signoz_ingestion_endpoint',
    'signoz_ingestion_key',
    'slack_webhook_url',
    'turn_off_message_logging',
    'user_api_key_auth_metadata',
    'wandb_api_key',
    'weave_project_id',
  ),
  // More of these that are words of other wires beside chats.
  ...all(
    { operators: 'chat' },
    'cache',
    'client',
    'engine',
    'order',
    'policies',
    'roles',
    'rust',
    'self',
    'tags',
    'verbose',
    'weight',
  ),

  // What is asked, and what of it is counted.
  ...all(
    { mayBeFile: true },
    'messages',
    'input',
    'contents',
    'content',
    'role',
    'parts',
    'type',
    'text',
    'system',
    'system_instruction',
    'instructions',
    'prompt',
    'suffix',
    'query',
    'documents',
    'requests',
    'reasoning_content',
    'uri',
    'audio',
    'inline_data',
    'filename',
    'source',
    'output',
    'refusal',
  ),
  ...all(
    { mayBeFile: true, address: 'part' },
    'image_url',
    'video_url',
    'audio_url',
    'document_url',
    'input_audio',
    'file',
    // Qwen's, in lists as well.
    'image',
    'images',
    'video',
  ),
  ...all({ mayBeFile: true, address: 'both' }, 'url', 'file_url'),
  ...all({ mayBeFile: true, address: 'object' }, 'file_data', 'data'),
  ...all(
    {},
    'id',
    'name',
    'description',
    'format',
    'json_schema',
    'function',
    'function_call',
    'tool_calls',
    'tool_call_id',
    'tool_use_id',
    'call_id',
  ),
  // How finely a picture is looked at and how often a film, and what an upstream writes to a cache.
  ...all(
    {},
    'detail',
    'fps',
    'min_pixels',
    'max_pixels',
    'total_pixels',
    'vl_high_resolution_images',
    'mm_processor_kwargs',
    'media_io_kwargs',
    'cache_control',
    'ttl',
    'prompt_cache_options',
    'prompt_cache_breakpoint',
    'cachePoint',
  ),
  // What an answer builds upon that the body does not hold, and what became of it there.
  ...all({}, 'previous_response_id', 'container_id', 'encrypted_content'),
  ...all({}, 'status', 'result', 'results', 'outputs', 'error'),
  // What is forgotten of a conversation, or summed up, before it is read.
  ...all({}, 'truncation', 'edits', 'trigger', 'value', 'keep', 'clear_tool_inputs', 'compact_threshold'),

  // Tools and what they may do. Some models of pictures search, at a price of its own.
  ...all({ pictures: [] }, 'tools', 'web_search_options'),
  // DashScope's switches (Web search, in Alibaba's documents of its Model Studio), Qianfan's, Hunyuan's and Groq's.
  ...all(
    { searches: true },
    'enable_search',
    'forced_search',
    'web_search',
    'enable_enhancement',
    'force_search_enhancement',
    'enable_deep_search',
    'search_settings',
  ),
  ...all(
    {},
    'functions',
    'search_options',
    // Of a search that has a switch of its own inside.
    'enable',
    'search_strategy',
    'search_type',
    'search_context_size',
    'search_parameters',
    'mode',
    'sources',
    'max_search_results',
    'container',
    'environment',
    'memory_limit',
    'max_uses',
    'max_tool_calls',
    'max_content_tokens',
    'max_num_results',
    'tool_choice',
    'allowed_tools',
    'mcp_servers',
    'configs',
    'input_fidelity',
    'input_image_mask',
    // Those who work at one answer beside each other.
    'multi_agent',
    'max_concurrent_subagents',
    'enabled',
  ),

  // What an answer is made of.
  ...all(
    {},
    'response',
    'response_format',
    'modalities',
    'response_modalities',
    'generation_config',
    'inference_config',
    'thinking',
    'thinking_config',
    'enable_thinking',
    'thinking_budget',
    'thinking_display',
    'budget_tokens',
    'display',
    'reasoning',
    'reasoning_effort',
    'output_config',
    'effort',
    'exclude',
    'include_reasoning',
    'reasoning_format',
    // What is foretold of it, and paid for where it comes otherwise.
    'prediction',
    // Of speech: its events tell their usage, its bytes none.
    'stream_format',
  ),
  // By the first two a picture is priced, and a film by the first.
  ...all({ pictures: 'read', fixed: 'both' }, 'size', 'quality'),
  { name: 'partial_images', pictures: 'read' },
  // Of those who have no word for the size.
  { name: 'aspect_ratio', pictures: 'read', only: 'pictures' },
  /*
   * What vendors call them, and what makes a picture larger or finer beside them. Of a picture it would be drawn
   * otherwise than it was priced.
   */
  ...all(
    { pictures: 'unread', only: 'pictures', fixed: 'top' },
    'image_size',
    'width',
    'height',
    'image_width',
    'image_height',
    'image_dimensions',
    'image_resolution',
    'image_config',
    'image_quality',
    'output_size',
    'output_width',
    'output_height',
    'output_resolution',
    'output_megapixels',
    'target_size',
    'dimensions',
    'megapixels',
    'pixels',
    'hd',
    'upscale',
    'upscale_factor',
    'upscale_by',
    'scale_factor',
    'enable_hr',
    'hr_scale',
  ),
  { name: 'sample_image_size', pictures: 'unread', only: 'pictures', fixed: 'both' },
  // How long a film is, by which it is priced, in the words of OpenAI and of other vendors.
  ...all(
    { only: 'films', fixed: 'both' },
    'seconds',
    'n_seconds',
    'duration',
    'duration_seconds',
    'video_duration',
    'video_length',
    'frames',
    'num_frames',
  ),
  // Of a picture that moves OpenAI draws as many; drawings of lines are written by another model, which a request chooses.
  { name: 'frame_count', pictures: [], only: 'films', fixed: 'both' },
  ...all({ pictures: [], only: 'pictures' }, 'frame_duration_ms', 'svg'),
  { name: 'output_format', pictures: STILL_FORMATS, only: 'pictures' },
  // How much is planned before it is drawn.
  { name: 'complexity', pictures: ['low'], only: 'pictures' },
  // xAI's word, whose second step costs more; and hosts of open models charge by the step.
  { name: 'resolution', pictures: ['1k'], only: 'pictures', fixed: 'both' },
  ...all(
    { pictures: [], only: 'pictures' },
    'steps',
    'num_steps',
    'num_inference_steps',
    'inference_steps',
    'sampling_steps',
    'sample_steps',
  ),
];

const fieldsOf = (holds: (field: GatewayField) => boolean): readonly string[] =>
  GATEWAY_FIELDS.filter(holds).map(({ name }) => name);

/**
 * Their names: a body has each in this one spelling. What is the operator's alone is left out where it would be read, in
 * whichever spelling, and is any caller's word further inside.
 */
export const FIELDS = fieldsOf(
  ({ only, operators, usual }) => only === undefined && (operators === undefined || usual !== undefined),
);
/** Those by which pictures cost what they do, and those of them that are not read. */
export const PICTURE_FIELDS = fieldsOf(({ pictures }) => pictures !== undefined);
export const UNREAD_OF_PICTURES = fieldsOf(({ pictures }) => pictures === 'unread');

/** The names of the fields of which this holds, folded. */
export const namesOf = (holds: (field: GatewayField) => boolean): ReadonlySet<string> =>
  new Set(fieldsOf(holds).map(folded));

export const CAPS = fieldsOf(({ cap }) => cap === true);

export const SEARCH_SWITCHES = fieldsOf(({ searches }) => searches === true);

/** The fields of a part that have an address, alone, in a list or in an object; and its names in such an object. */
export const ADDRESS_FIELDS = fieldsOf(({ address }) => address === 'part' || address === 'both');
export const ADDRESS_NAMES = fieldsOf(({ address }) => address === 'object' || address === 'both');
