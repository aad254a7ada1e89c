import type { FieldRule, JudgedPlace, RequestFields } from './field-rule';

/** Every field of the provider's API, betas included, by the object that has it. A test compares it with its SDKs. */
export const PROVIDER_FIELDS: Record<JudgedPlace, Record<string, FieldRule>> = {
  body: {
    messages: 'own',
    system: 'own',
    max_tokens: 'own',
    stream: 'own',
    // The operator fixes the model.
    model: 'ignored',
    // Says who the provider's customer's own user is: the provider has no use for ours.
    metadata: 'ignored',
    cache_control: 'forwarded',
    output_config: 'forwarded',
    service_tier: 'forwarded',
    stop_sequences: 'forwarded',
    temperature: 'forwarded',
    thinking: 'forwarded',
    tool_choice: 'forwarded',
    tools: 'forwarded',
    top_k: 'forwarded',
    top_p: 'forwarded',
    billing_policy: 'unpriced',
    compaction: 'unpriced',
    container: 'unpriced',
    context_management: 'unpriced',
    diagnostics: 'unpriced',
    fallback_credit_token: 'unpriced',
    fallbacks: 'unpriced',
    inference_geo: 'unpriced',
    mcp_servers: 'unpriced',
    speed: 'unpriced',
    thread: 'unpriced',
    user_profile_id: 'unpriced',
    workspace_id: 'unpriced',
    betas: 'beta',
    output_format: 'beta',
  },
  tool: {
    allowed_callers: 'forwarded',
    cache_control: 'forwarded',
    configs: 'forwarded',
    defer_loading: 'forwarded',
    description: 'forwarded',
    eager_input_streaming: 'forwarded',
    input_examples: 'forwarded',
    input_schema: 'forwarded',
    max_characters: 'forwarded',
    name: 'forwarded',
    strict: 'forwarded',
    type: 'forwarded',
    display_height_px: 'beta',
    display_number: 'beta',
    display_width_px: 'beta',
    enable_zoom: 'beta',
  },
  thinking: { type: 'forwarded', budget_tokens: 'forwarded', display: 'forwarded', block_binding: 'beta' },
  output_config: { effort: 'forwarded', format: 'forwarded', task_budget: 'beta' },
};

/** The provider's form of a request, as its SDKs send it. What is not known is refused: silence would be a wrong answer. */
export const SDK_FIELDS: RequestFields = {
  ruleOf: (place, name) =>
    (Object.hasOwn(PROVIDER_FIELDS[place], name) ? PROVIDER_FIELDS[place][name] : undefined) ?? 'unknown',
};
