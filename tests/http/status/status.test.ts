import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type OptionKey, optionKeys, specOf } from '../../../src/options/registry.ts';
import { openApi, type TestApi } from '../../support/api.ts';

/** The status object of specification document 1, section 3. */
const FIELDS =
  `system_name logo footer_html quota_per_unit price display_in_currency enable_drawing enable_task
enable_data_export chats data_export_default_time default_collapse_sidebar mj_notify_enabled chat_link chat_link2
docs_link self_use_mode_enabled demo_site_enabled setup enable_online_topup quota_for_inviter quota_for_invitee
quota_for_new_user fuel_pack_quota enabled_phone_login enabled_password_login enabled_phone_register
WebRegisterEnabled email_verification turnstile_check turnstile_site_key github_oauth github_client_id google_oauth
google_client_id oidc_enabled oidc_authorization_endpoint oidc_client_id linuxdo_oauth linuxdo_client_id wechat_login
telegram_oauth telegram_bot_name version start_time server_address min_topup top_up_link wechat_qrcode
enable_batch_update`.split(/\s+/);

describe('GET /api/status', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi('postgres');
  });
  afterAll(() => api.close());

  it('has every field, for everyone', async () => {
    const { data, headers } = await api.guest().get('/api/status');
    expect(FIELDS.filter((field) => !(field in data))).toEqual([]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  });

  it('says what the options say, with the types that the client expects', async () => {
    await api.deps.options.set({
      SystemName: 'My gateway',
      Price: '6.9',
      PasswordLoginEnabled: 'false',
    });
    expect((await api.guest().get('/api/status/')).data).toMatchObject({
      system_name: 'My gateway',
      price: 6.9,
      quota_per_unit: 500_000,
      enabled_password_login: false,
      data_export_default_time: 'hour',
      display_in_currency: true,
    });
  });

  it('offers registration where it is open, and never in self-use mode', async () => {
    const offered = async (options: Record<string, string>) => {
      await api.deps.options.set(options);
      return (await api.guest().get('/api/status')).data.WebRegisterEnabled;
    };
    expect(await offered({})).toBe(true);
    expect(await offered({ SelfUseModeEnabled: 'true' })).toBe(false);
    expect(await offered({ SelfUseModeEnabled: 'false', RegisterEnabled: 'false' })).toBe(false);
    expect(await offered({ RegisterEnabled: 'true', PasswordRegisterEnabled: 'false' })).toBe(false);
  });

  it('tells what an invitation earns both', async () => {
    await api.deps.options.set({ QuotaForInviter: '500', QuotaForInvitee: '600' });
    const { data } = await api.guest().get('/api/status');
    expect(data).toMatchObject({ quota_for_inviter: 500, quota_for_invitee: 600 });
    await api.deps.options.reset(['QuotaForInviter', 'QuotaForInvitee']);
  });

  it('calls nothing on that does not exist yet, whatever the options say', async () => {
    await api.deps.options.set({
      PhoneLoginEnabled: 'true',
      ChatLink: 'https://chat.example',
      ChatLink2: 'https://chat.example/2',
    });
    expect((await api.guest().get('/api/status')).data).toMatchObject({
      enable_batch_update: false,
      enabled_phone_login: false,
      chat_link: '',
      chat_link2: '',
    });
  });

  /** A value that the option takes and that is not what it has by itself. */
  const other = (key: OptionKey): string => {
    const { kind, choices, default: usual, min = 0 } = specOf(key);
    if (kind === 'boolean') return String(!usual);
    if (kind === 'integer' || kind === 'decimal') return String(min + 7);
    if (kind === 'choice') return Object.keys(choices ?? {}).find((choice) => choice !== usual) ?? '';
    if (kind === 'json') return '[{"Chat":"https://chat.example/?k={key}"}]';
    return 'https://other.example';
  };

  it('tells of every option that no page draws the off value, whatever it is set to', async () => {
    const unbuilt = optionKeys.filter((key) => specOf(key).status && !specOf(key).place);
    expect(unbuilt.length).toBeGreaterThan(0);
    await api.deps.options.reset(unbuilt);
    const off = (await api.guest().get('/api/status')).data;
    await api.deps.options.set(Object.fromEntries(unbuilt.map((key) => [key, other(key)])));
    const { data } = await api.guest().get('/api/status');
    for (const key of unbuilt) {
      const { status = '', default: usual } = specOf(key);
      expect([key, api.deps.options.get(key)]).not.toEqual([key, usual]);
      expect([status, data[status]]).toEqual([status, off[status]]);
      expect([status, ['false', '0', '1', '""', '"hour"', '[]']]).toEqual([
        status,
        expect.arrayContaining([JSON.stringify(data[status])]),
      ]);
    }
  });
});
