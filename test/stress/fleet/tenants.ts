/** Accounts, and their keys. */
export const TENANTS = ['one', 'two', 'three', 'four'] as const

export type Tenant = (typeof TENANTS)[number]
