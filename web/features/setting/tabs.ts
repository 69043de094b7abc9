/** The tabs of the settings page: root's panels, and everyone's own part. */
import { optionPanels } from '@core/option-panels.ts';

export const settingTabs = [...optionPanels, 'personal'] as const;
export type SettingTab = (typeof settingTabs)[number];
