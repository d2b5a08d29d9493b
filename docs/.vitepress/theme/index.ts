import theme from 'vitepress/theme'
import Layout from './layout.vue'
import './page.css'

export default { ...theme, Layout }
