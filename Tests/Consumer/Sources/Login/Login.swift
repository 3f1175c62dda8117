package let loginName = "Login"
