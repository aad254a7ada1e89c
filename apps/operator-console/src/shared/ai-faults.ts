import type { Dto } from '../client/api';

/** Why all of a customer's messages are refused, as a part of a sentence. */
export const AI_FAULTS: Record<NonNullable<Dto<'AiSettingsDto'>['fault']>, string> = {
  disabled: 'AI is not enabled',
  no_model: 'no model is set',
  no_price: 'its model has no price in force',
  no_key: 'neither the customer nor the service has a key at the AI provider',
  key_unreadable: "the customer's own key cannot be decrypted: SECRETS_KEY has changed since it was stored",
};
