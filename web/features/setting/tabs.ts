/** The tabs of the settings page: root's panels, and everyone's own part. */
import { panels } from '@modules/option/facts.ts';

export const settingTabs = [...panels, 'personal'] as const;
export type SettingTab = (typeof settingTabs)[number];
