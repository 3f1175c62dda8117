package let travelName = "Travel"
