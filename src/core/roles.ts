/**
 * Who may do what, decided once. Calls and pages ask by the name of the capability, never by number, because the
 * spec uses two thresholds (10 and 100) for screens that look alike.
 */

export const ROLE = { guest: 0, user: 1, admin: 10, root: 100 } as const;
export type RoleName = keyof typeof ROLE;

export const USER_STATUS = { active: 1, banned: 2 } as const;

export const hasRole = (role: number, least: RoleName): boolean => role >= ROLE[least];

/** The least role for each capability. */
const capabilities = {
  canManageTokens: 'user',
  /** His own account: name, password, sessions, how he is told of things. */
  canManageSelf: 'user',
  canSeeAllLogs: 'admin',
  canManageUsers: 'admin',
  canManageActivities: 'admin',
  /** What companion clients are served: suppliers, prompts, roles, applications. */
  canManageDesk: 'admin',
  canManageChannels: 'admin',
  /** The side menu shows channels and redemption codes to root only; admins may still call. */
  canSeeChannelMenu: 'root',
  canManageOptions: 'root',
  /** Which applications may ask users to sign in with their accounts here. */
  canManageOAuthApps: 'root',
  canSeeAdminLog: 'root',
  canPinChannel: 'admin',
} as const satisfies Record<string, RoleName>;

export type Capability = keyof typeof capabilities;

export const can = (role: number, capability: Capability): boolean => hasRole(role, capabilities[capability]);

/** Root acts on everyone else; others only on strictly lower levels. */
export const canActOn = (
  actor: { id: number; role: number },
  target: { id: number; role: number },
): boolean =>
  actor.role >= ROLE.root ? target.role < ROLE.root || target.id === actor.id : actor.role > target.role;
