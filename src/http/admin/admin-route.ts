/** What all routes for operators have in common. */
export const ADMIN = { access: 'key', scope: 'admin', dialect: 'systemone' } as const
