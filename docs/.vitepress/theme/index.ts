import theme from 'vitepress/theme'
import './page.css'

export default theme
